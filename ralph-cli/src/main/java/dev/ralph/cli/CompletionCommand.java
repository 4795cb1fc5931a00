package dev.ralph.cli;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.PipedText;
import dev.ralph.cli.call.UsageException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * {@code ralph completion}: prints a shell script that calls this command for completions, and
 * answers these calls.
 */
final class CompletionCommand implements Command {

  static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  /**
   * The argument of a call by the shell. The words after {@code ralph} are on standard input, a
   * word per line.
   */
  private static final String ASKED = "words";

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of("print the completion script for bash, zsh or fish")
        .argument("SHELL")
        .common();
  }

  @Override
  public void run(Invocation call) {
    String shell = call.arguments().requiredArgument(0);
    if (shell.equals(ASKED)) {
      List<String> words = List.of(PipedText.read(call.environment().in()).split("\n", -1));
      for (ShellCompletion.Candidate each : ShellCompletion.of(words, call.environment())) {
        call.print(each.word() + "\t" + each.description());
      }
      return;
    }
    if (!SHELLS.contains(shell)) {
      throw new UsageException(
          "no completion for "
              + RalphException.quote(shell)
              + "; use "
              + String.join(", ", SHELLS));
    }
    if (call.json()) {
      call.answer("completion", "text", script(shell));
    } else {
      call.environment().out().now(script(shell));
    }
  }

  private static String script(String shell) {
    try (InputStream in =
        CompletionCommand.class.getResourceAsStream("completion/ralph." + shell)) {
      if (in == null) {
        throw new IllegalStateException("the completion is missing in the jar: " + shell);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
