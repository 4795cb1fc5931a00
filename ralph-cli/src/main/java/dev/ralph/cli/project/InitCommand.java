package dev.ralph.cli.project;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.Redaction;
import dev.ralph.cli.loop.BuildCommand;
import dev.ralph.cli.loop.BuildConfig;
import dev.ralph.cli.loop.WholeFile;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.apache.commons.cli.Option;

/** {@code ralph init}. */
public final class InitCommand implements Command {

  private static final String HEAD =
      """
      # Options of ralph build for this project, one option per line, without the two dashes.
      # Remove the # before an option to set it. Options of the command line have precedence.
      # A value is the rest of the line, without quotes. Paths are relative to this folder.
      #
      # Like a Makefile, this file names commands to run. Therefore ralph build asks each user to
      # trust the file, and asks again after each change.
      """;

  @Override
  public CommandSyntax syntax() {
    return CommandSyntax.of(
            "write " + ConfigFile.NAME + ", the file for the project's options of ralph build")
        .common();
  }

  @Override
  public void run(Invocation call) {
    Path folder = call.environment().directory();
    Path file = folder.resolve(ConfigFile.NAME);
    Path before = new Project(call.environment()).find(ConfigFile.NAME);
    if (WholeFile.isThere(file)) {
      throw RalphException.invalid(file + " already exists; edit the file");
    }
    WholeFile.write(file, text());
    if (call.json()) {
      call.answer("config", "file", file.toString());
    } else {
      call.print("Wrote " + ConfigFile.NAME + "; uncomment the options for ralph build");
    }
    if (before != null) {
      call.warn("this file replaces " + before + " in this folder and below");
    }
  }

  /** Returns the file's text: all options with their descriptions, commented out. */
  private static String text() {
    StringBuilder text = new StringBuilder(HEAD);
    for (Option option : BuildConfig.options(new BuildCommand().syntax())) {
      text.append("\n# ").append(option.getDescription()).append('\n');
      text.append('#').append(option.getLongOpt()).append(" = ");
      text.append(option.hasArg() ? option.getArgName() : "yes").append('\n');
    }
    return text.append(
            "\n# off: store agent output unchanged, with secrets; RALPH_REDACT has precedence\n#")
        .append(Redaction.SETTING)
        .append(" = off\n")
        .toString();
  }
}
