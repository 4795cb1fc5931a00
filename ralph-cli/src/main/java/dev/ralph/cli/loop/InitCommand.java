package dev.ralph.cli.loop;

import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.Redaction;
import dev.ralph.cli.call.Syntax;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import org.apache.commons.cli.Option;

/** {@code ralph init}. */
public final class InitCommand implements Command {

  private static final String HEAD =
      """
      # What ralph build does in this project: its options, one a line, without the two dashes.
      # Take away the # before those you want. An option of the command line wins over the one here.
      # A value is the rest of the line, without quotes around it. Paths begin at this file's folder.
      #
      # Like a Makefile, this file names commands that are run. So ralph build asks each user once, and
      # again after every change, whether it is trusted.
      """;

  @Override
  public Syntax syntax() {
    return Syntax.of("write " + ConfigFile.NAME + ", where a project keeps its options of build")
        .common();
  }

  @Override
  public void run(Invocation call) {
    Path folder = call.environment().directory();
    Path file = folder.resolve(ConfigFile.NAME);
    Path before = new Project(call.environment()).find(ConfigFile.NAME);
    if (WholeFile.isThere(file)) {
      throw RalphException.invalid(file + " is there already; edit it");
    }
    WholeFile.write(file, text());
    if (call.json()) {
      call.answer("config", "file", file.toString());
    } else {
      call.print("Wrote " + ConfigFile.NAME + "; uncomment in it what ralph build is to do");
    }
    if (before != null) {
      call.warn("it takes the place of " + before + " in this folder and below");
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
            "\n# off: keep what agents say as it is, secrets included; RALPH_REDACT wins\n#")
        .append(Redaction.SETTING)
        .append(" = off\n")
        .toString();
  }
}
