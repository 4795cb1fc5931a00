package dev.ralph.cli.loop;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import dev.ralph.openspec.internal.ChangeSession;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The next prompt of {@code ralph build}, for viewers without access to the running loop. */
public final class NextPrompt {

  private NextPrompt() {}

  /**
   * Returns the output of {@code ralph build --dry-run}, after a sentence about its origin.
   *
   * @throws RalphException if no prompt is available
   */
  public static String of(Invocation call, String session) {
    List<String> words = new ArrayList<>(List.of("-n", session));
    if (ChangeSession.isName(session)) {
      ChangeSession work =
          ChangeSession.of(
              call.store().ralph(), Project.folder(call.environment(), Change.FOLDER), session);
      words.addAll(List.of("--change", work.changeName()));
    }
    String build = "ralph build " + String.join(" ", words);
    String store = call.arguments().text("store");
    if (store != null) {
      words.addAll(List.of("--store", store));
    }
    words.add("--dry-run");
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    BuildCommand command = new BuildCommand();
    try (Invocation own =
        new Invocation(
            call.environment().aside(answer), Arguments.parse("build", command.syntax(), words))) {
      command.run(own);
    } catch (UsageException e) {
      throw RalphException.invalid(String.valueOf(e.getMessage()));
    }
    return "(from '"
        + build
        + "' in this folder; a loop with different options may use a different prompt)\n\n"
        + answer.toString(StandardCharsets.UTF_8);
  }
}
