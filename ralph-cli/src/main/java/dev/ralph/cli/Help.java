package dev.ralph.cli;

import dev.ralph.cli.agent.AgentRoom;
import dev.ralph.cli.agentmail.AgentMailFace;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.call.Syntax;
import dev.ralph.cli.terminal.Output;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Option;

/** Says how the command is used. Looks at no store and changes nothing. */
final class Help {

  private static final int NAME_WIDTH = 15;

  private Help() {}

  static int overview(Environment environment) {
    Output out = environment.out();
    out.line("ralph: one log, one loop, for coding agents");
    out.line("");
    out.line("  ralph build -n auth -s specs/auth.md     run an agent until the work is done");
    out.line("  ralph message -n auth 'Do the API first'  tell it something while it runs");
    out.line("  ralph status -n auth                      see how far it is");
    out.line("");
    out.line("Commands:");
    List<String> names = new ArrayList<>(Commands.NAMES);
    names.removeIf(Commands::isForMachines);
    list(out, names);
    out.line("  " + padded(AgentMailFace.NAME, NAME_WIDTH) + "send and receive as AgentMail does");
    out.line("  " + padded(AgentRoom.NAME, NAME_WIDTH) + Commands.summaryOf(AgentRoom.NAME));
    out.line("");
    out.line("ralph COMMAND --help shows a command's options.");
    return ExitCode.DONE;
  }

  /**
   * Shows the commands that begin with words which are none by themselves, such as {@code task}.
   */
  static int group(Environment environment, String group) {
    Output out = environment.out();
    if (Commands.isForMachines(group)) {
      AgentRoom.PURPOSE.lines().forEach(out::line);
      out.line("");
    }
    out.line("ralph " + group + " is followed by one of these:");
    list(out, Commands.in(group));
    out.line("");
    out.line("ralph " + group + " COMMAND --help shows a command's options.");
    return ExitCode.DONE;
  }

  private static void list(Output out, List<String> names) {
    int width = NAME_WIDTH;
    for (String name : names) {
      width = Math.max(width, name.length() + 2);
    }
    for (String name : names) {
      Command command = Commands.create(name);
      if (command != null) {
        out.line("  " + padded(name, width) + command.syntax().summary());
      }
    }
  }

  static int of(Environment environment, String name, Syntax syntax) {
    Output out = environment.out();
    StringBuilder usage = new StringBuilder("ralph ").append(name);
    for (int i = 0; i < syntax.positionals().size(); i++) {
      String argument = syntax.positionals().get(i);
      usage.append(i < syntax.required() ? " " + argument : " [" + argument + "]");
    }
    usage.append(syntax.takesSeveral() ? "..." : "");
    out.line(usage.append(" [options]").toString());
    out.line("  " + syntax.summary());
    out.line("");
    out.line("Options:");
    int width = 0;
    for (Option option : syntax.inOrder()) {
      width = Math.max(width, written(option).length() + 2);
    }
    for (Option option : syntax.inOrder()) {
      out.line("  " + padded(written(option), width) + option.getDescription());
    }
    List<String> more = Commands.in(name);
    if (!more.isEmpty()) {
      out.line("");
      out.line("And:");
      list(out, more);
    }
    return ExitCode.DONE;
  }

  private static String written(Option option) {
    String letter = option.getOpt() == null ? "    " : "-" + option.getOpt() + ", ";
    String value = option.hasArg() ? " " + option.getArgName() : "";
    return letter + "--" + option.getLongOpt() + value;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }
}
