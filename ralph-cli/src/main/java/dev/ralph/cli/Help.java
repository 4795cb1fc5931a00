package dev.ralph.cli;

import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.agentmail.AgentMailFace;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.terminal.Output;
import java.util.List;
import java.util.Locale;
import org.apache.commons.cli.Option;

/** Prints the help of commands. Reads no store and changes nothing. */
final class Help {

  private static final int NAME_WIDTH = 15;
  private static final int TITLE_WIDTH = 8;
  private static final int COLUMNS = 80;

  /** A title, followed by the first words of its commands. */
  private static final List<List<String>> GROUPS =
      List.of(
          List.of(
              "loop",
              "build",
              "work",
              "trust",
              "pause",
              "resume",
              "raise",
              "stop",
              "complete",
              "branch",
              "init",
              "demo"),
          List.of("tasks", "tasks", "task", "notes", "note"),
          List.of("talk", "message", "inbox", "ask", "questions", "answer"),
          List.of(
              "look",
              "status",
              "watch",
              "sessions",
              "iterations",
              "cost",
              "log",
              "diff",
              "replay",
              "doctor"),
          List.of("stores", "fork", "delete", "erase", "compact", "export", "import", "verify"),
          List.of("mail", "mail"),
          List.of("TX", "tx"),
          List.of("agents", "mcp", "serve", "token", AgentMailFace.NAME, AgentGroup.NAME),
          List.of("more", "gen-template", "completion"));

  private Help() {}

  static int overview(Environment environment) {
    Output out = environment.out();
    out.line("ralph: a loop and a log for coding agents");
    out.line("");
    out.line("  ralph build 'Add a dark mode'             run an agent until the work is done");
    out.line("  ralph message -n auth 'Do the API first'  send a message while the agent works");
    out.line("  ralph status -n auth                      show the progress");
    out.line("");
    out.line("Commands:");
    for (List<String> group : GROUPS) {
      String start = "  " + padded(group.get(0), TITLE_WIDTH);
      StringBuilder row = new StringBuilder(start);
      for (String name : group.subList(1, group.size())) {
        String shown = withVerbs(name);
        if (row.length() > start.length()) {
          row.append(',');
          if (row.length() + 1 + shown.length() > COLUMNS) {
            out.line(row.toString());
            row = new StringBuilder(" ".repeat(start.length()));
          } else {
            row.append(' ');
          }
        }
        int cut = room(row, shown);
        while (cut > 0) {
          out.line(row + shown.substring(0, cut));
          row = new StringBuilder(" ".repeat(start.length() + 2));
          shown = shown.substring(cut);
          cut = room(row, shown);
        }
        row.append(shown);
      }
      out.line(row.toString());
    }
    out.line("");
    out.line("ralph COMMAND --help shows the options of a command.");
    return ExitCode.DONE;
  }

  /** Returns the index at which to break words too long for the rest of a row, or 0. */
  private static int room(StringBuilder row, String shown) {
    int room = COLUMNS - 1 - row.length(); // a comma may follow
    return shown.length() <= room ? 0 : shown.lastIndexOf('|', room - 1) + 1;
  }

  /** Returns a name with the words that may or must follow it. */
  private static String withVerbs(String name) {
    if (name.equals(AgentGroup.NAME)) {
      return name + ": " + Commands.summaryOf(name);
    }
    List<String> verbs = Commands.verbsOf(name);
    if (verbs.isEmpty()) {
      return name;
    }
    String all = String.join("|", verbs);
    return Commands.create(name) == null ? name + " " + all : name + " [" + all + "]";
  }

  /** Prints the commands of a group that is no command itself, such as {@code task}. */
  static int group(Environment environment, String group) {
    Output out = environment.out();
    if (Commands.isForMachines(group)) {
      AgentGroup.PURPOSE.lines().forEach(out::line);
      out.line("");
    }
    out.line("usage: ralph " + group + " COMMAND [options]");
    list(out, Commands.in(group));
    out.line("");
    out.line("ralph " + group + " COMMAND --help shows the options of a command.");
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

  static int of(Environment environment, String name, CommandSyntax syntax) {
    Output out = environment.out();
    StringBuilder usage = new StringBuilder("usage: ralph ").append(name);
    for (int i = 0; i < syntax.positionals().size(); i++) {
      String argument = syntax.positionals().get(i);
      usage.append(i < syntax.required() ? " " + argument : " [" + argument + "]");
    }
    usage.append(syntax.takesSeveral() ? "..." : "");
    out.line(usage.append(" [options]").toString());
    out.line("");
    out.line(sentence(syntax.summary()));
    out.line("");
    out.line("Options:");
    int width = 0;
    for (Option option : syntax.inOrder()) {
      width = Math.max(width, written(option).length() + 2);
    }
    for (Option option : syntax.inOrder()) {
      out.line("  " + padded(written(option), width) + option.getDescription());
    }
    out.line("");
    out.line("Examples:");
    for (String example : HelpExamples.of(name)) {
      out.line("  " + example);
    }
    List<String> more = Commands.in(name);
    if (!more.isEmpty()) {
      out.line("");
      out.line("Related commands:");
      list(out, more);
    }
    return ExitCode.DONE;
  }

  /** Returns a summary with a capital letter and a full stop. */
  private static String sentence(String summary) {
    return summary.substring(0, 1).toUpperCase(Locale.ROOT) + summary.substring(1) + ".";
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
