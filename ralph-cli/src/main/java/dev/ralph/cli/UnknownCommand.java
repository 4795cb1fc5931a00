package dev.ralph.cli;

import dev.ralph.cli.agent.AgentGroup;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.Suggestion;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The failures for unknown commands. A suggested command comes with its description, because it may
 * change data.
 */
final class UnknownCommand {

  /** Command names of other programs, with their equivalents. */
  private static final Map<String, String> USUAL_WORDS =
      Map.ofEntries(
          Map.entry("ready", "tasks --ready"),
          Map.entry("next", "tasks --ready"),
          Map.entry("list", "tasks"),
          Map.entry("ls", "tasks"),
          Map.entry("todo", "tasks"),
          Map.entry("create", "task add"),
          Map.entry("new", "task add"),
          Map.entry("close", "task done"),
          Map.entry("finish", "task done"),
          Map.entry("run", "build"),
          Map.entry("start", "build"),
          Map.entry("loop", "build"),
          Map.entry("send", "message"),
          Map.entry("history", "iterations"),
          Map.entry("kill", "stop"),
          Map.entry("abort", "stop"),
          Map.entry("config", "init"),
          Map.entry("web", "serve"),
          Map.entry("ui", "serve"),
          Map.entry("version", "--version"));

  private UnknownCommand() {}

  /** Returns the failure of a call without a valid command. */
  static UsageException of(List<String> args) {
    String first = args.get(0);
    if (first.equalsIgnoreCase("-v")) {
      return new UsageException("unknown option " + first + didYouMean(List.of("--version")));
    }
    if (first.startsWith("-")) {
      return new UsageException(
          "no command before "
              + RalphException.quote(first)
              + "; write options after the command, as in ralph tasks --ready; see ralph --help");
    }
    String group = Commands.group(args);
    if (group != null) {
      return inGroup(group, args.subList(Commands.wordsOf(group), args.size()));
    }
    String start = "unknown command " + RalphException.quote(first);
    if (first.indexOf(' ') > 0) {
      return new UsageException(start + "; to start work, write ralph build before the text");
    }
    List<String> meant = new ArrayList<>();
    if (first.equals("list") || first.equals("ls")) {
      meant.add("sessions");
    }
    String usual = USUAL_WORDS.get(first);
    if (usual != null) {
      meant.add(usual);
    }
    meant.addAll(commandsWithVerb(first));
    if (meant.isEmpty()) {
      meant = suggestion(first, forPeople());
    }
    return new UsageException(start + (meant.isEmpty() ? "; see ralph --help" : didYouMean(meant)));
  }

  /** Returns the failure of {@code tasks add} if {@code task add} exists; null for other words. */
  static @Nullable UsageException inPlural(String plural, String word) {
    String singular = plural.substring(0, plural.length() - 1);
    return plural.endsWith("s") && Commands.verbsOf(singular).contains(word)
        ? new UsageException(
            "unknown command "
                + RalphException.quote(plural + " " + word)
                + didYouMean(List.of(singular + " " + word)))
        : null;
  }

  private static UsageException inGroup(String group, List<String> rest) {
    List<String> verbs = Commands.verbsOf(group);
    String all = String.join(", ", verbs);
    if (rest.isEmpty() || rest.get(0).startsWith("-")) {
      return new UsageException("ralph " + group + " needs a subcommand: " + all);
    }
    List<String> meant = new ArrayList<>();
    for (String verb : suggestion(rest.get(0), verbs)) {
      meant.add(verbs.contains(verb) ? group + " " + verb : verb);
    }
    return new UsageException(
        "unknown command ralph "
            + group
            + " "
            + RalphException.quote(rest.get(0))
            + (meant.isEmpty() ? "; the subcommands are: " + all : didYouMean(meant)));
  }

  /** Returns the commands for people that end with a word. */
  private static List<String> commandsWithVerb(String verb) {
    List<String> found = new ArrayList<>();
    for (String name : Commands.NAMES) {
      if (name.endsWith(" " + verb) && !Commands.isForMachines(name)) {
        found.add(name);
      }
    }
    return found;
  }

  /**
   * Returns the candidates for suggestions, in which a single word replaces all machine commands.
   */
  private static List<String> forPeople() {
    List<String> names = new ArrayList<>(Commands.NAMES);
    names.removeIf(Commands::isForMachines);
    names.add(AgentGroup.NAME);
    return names;
  }

  private static List<String> suggestion(String typed, List<String> candidates) {
    String usual = USUAL_WORDS.get(typed);
    String meant = usual == null ? Suggestion.nearest(typed, candidates) : usual;
    return meant == null ? List.of() : List.of(meant);
  }

  private static String didYouMean(List<String> commands) {
    StringBuilder text = new StringBuilder();
    for (String name : commands) {
      text.append(text.length() == 0 ? "; did you mean ralph " : ", or ralph ").append(name);
      Command command = Commands.create(name);
      if (command != null) {
        text.append(" (").append(command.syntax().summary()).append(')');
      }
    }
    return text.append('?').toString();
  }
}
