package dev.ralph.tool;

import dev.ralph.NoteLog;
import dev.ralph.RalphException;
import dev.ralph.log.StoreInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The {@code ralph} command's own words for each thing an agent does. */
final class CommandTools implements Tools {

  private final Path program;
  private final String launcher;

  CommandTools(Path launcher) {
    this.program = launcher.toAbsolutePath().normalize();
    this.launcher = ShellWord.quote(program.toString());
  }

  @Override
  public String describe(String session, StoreInfo store) {
    String target = target(session, store);
    return String.join(
        "\n",
        "Run these in a shell, exactly as they stand, with your own values for ID and TEXT.",
        "",
        "# Tasks: all of them and those that are ready, each with its whole text; one; a new one;",
        "# another text for one",
        launcher + " tasks" + target,
        launcher + " tasks --ready" + target,
        launcher + " task show ID" + target,
        launcher + " task add" + target + " 'TEXT'",
        launcher + " task edit ID" + target + " 'TEXT'",
        "",
        "# A task's status (remaining, in_progress, blocked, completed, cancelled): begun, no"
            + " longer",
        "# needed, done, blocked and why",
        launcher + " task status ID in_progress" + target,
        launcher + " task status ID cancelled" + target,
        launcher + " task done ID" + target,
        launcher + " task block ID" + target + " 'TEXT'",
        "",
        "# Notes for later iterations, of type " + noteTypes() + "; one that no longer holds",
        launcher + " notes" + target,
        launcher + " note add" + target + " --type learning 'TEXT'",
        launcher + " note remove ID" + target,
        "",
        "# A task or note to add whose text is long or has an apostrophe: '-', and the text piped"
            + " in",
        launcher + " note add" + target + " --type learning - <<'EOF'",
        "TEXT",
        "EOF",
        "",
        "# Messages from the operator",
        launcher + " inbox" + target,
        launcher + " inbox read ID" + target,
        "",
        "# Ask the operator; the answer comes as a message later, so go on with what needs none",
        launcher + " ask" + target + " 'TEXT'",
        "",
        "# Only when every task is done",
        launcher + " complete" + target);
  }

  @Override
  public String markReadInstruction(String session, StoreInfo store) {
    return "After reading, run this for each message: "
        + launcher
        + " inbox read ID"
        + target(session, store);
  }

  @Override
  public void requireReady(StoreInfo store) {
    if (!store.capabilities().contains(StoreInfo.Capability.MULTI_PROCESS)) {
      throw RalphException.invalid(
          "the agent can't reach the session by commands, because no other process can use the"
              + " store "
              + store.location()
              + ", of the kind "
              + store.kind()
              + "; use another store, such as file, or other tools");
    }
    if (!Files.isExecutable(program) || Files.isDirectory(program)) {
      throw RalphException.invalid(
          "the agent can't reach the session by commands, because "
              + RalphException.quote(program.toString())
              + " is no program; give the path of the ralph launcher");
    }
  }

  private static String noteTypes() {
    List<String> types = NoteLog.USUAL_TYPES;
    int last = types.size() - 1;
    return String.join(", ", types.subList(0, last)) + " or " + types.get(last);
  }

  private static String target(String session, StoreInfo store) {
    return " --name " + session + " --store " + ShellWord.quote(store.location());
  }
}
