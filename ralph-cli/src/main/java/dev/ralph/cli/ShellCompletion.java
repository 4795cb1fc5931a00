package dev.ralph.cli;

import dev.ralph.NoteLog;
import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.agents.AcpAgent;
import dev.ralph.agents.internal.ClientCheck;
import dev.ralph.cli.agentmail.AgentMailFace;
import dev.ralph.cli.call.Command;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.Environment;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.StoreAccess;
import dev.ralph.cli.call.StoreAddress;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.SafeText;
import dev.ralph.log.RalphException;
import dev.ralph.openspec.internal.Change;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.commons.cli.Option;
import org.jspecify.annotations.Nullable;

/** Completes a command line, based on the same syntax as the help. */
final class ShellCompletion {

  private static final int LONGEST_DESCRIPTION = 60;

  /**
   * A candidate for the next word.
   *
   * @param description the meaning in a single line
   */
  record Candidate(String word, String description) {}

  private final Environment environment;
  private final List<String> words;
  private final String begun;
  private final List<Candidate> found = new ArrayList<>();

  private ShellCompletion(List<String> words, Environment environment) {
    this.environment = environment;
    this.words = words.subList(0, words.size() - 1);
    this.begun = words.get(words.size() - 1);
  }

  /**
   * Returns the candidates for the last word; empty if a file or any text may follow.
   *
   * @param typed the words after {@code ralph}; the last word is incomplete and may be empty
   */
  static List<Candidate> of(List<String> typed, Environment environment) {
    List<String> words = new ArrayList<>(typed);
    if (words.get(words.size() - 1).equals("=")) {
      words.set(words.size() - 1, ""); // bash splits --name=a
    }
    words.removeIf("="::equals);
    if (words.size() > 1 && words.get(0).equals("help")) {
      words.remove(0);
    }
    ShellCompletion completion = new ShellCompletion(words, environment);
    completion.complete();
    return completion.found;
  }

  private void complete() {
    if (words.isEmpty()) {
      commands();
      return;
    }
    String first = words.get(0);
    if (first.equals(AgentMailFace.NAME)) {
      if (words.size() == 1) {
        AgentMailFace.COMMANDS.forEach(word -> add(word, "command of AgentMail"));
      }
      return;
    }
    String typed = String.join(" ", words);
    for (String verb : Commands.verbsOf(typed)) {
      addCommand(verb, typed + " " + verb);
    }
    String name = Commands.named(words);
    Command command = name == null ? null : Commands.create(name);
    if (name != null && command != null) {
      arguments(name, command.syntax(), words.subList(Commands.wordsOf(name), words.size()));
    }
  }

  private void commands() {
    Set<String> seen = new HashSet<>();
    for (String name : Commands.NAMES) {
      int blank = name.indexOf(' ');
      String word = blank < 0 ? name : name.substring(0, blank);
      if (seen.add(word)) {
        addCommand(word, word);
      }
    }
    add(AgentMailFace.NAME, "send and receive mail with the commands of AgentMail");
    add("help", "show the help of a command");
    if (begun.startsWith("-")) {
      add("--help", "show the list of commands");
      add("--version", "show the version");
    }
  }

  private void addCommand(String word, String name) {
    Command command = Commands.create(name);
    add(word, command == null ? Commands.summaryOf(name) : command.syntax().summary());
  }

  private void arguments(String name, CommandSyntax syntax, List<String> given) {
    int equals = begun.startsWith("--") ? begun.indexOf('=') : -1;
    if (equals > 0) {
      Option option = option(syntax, begun.substring(0, equals));
      if (option != null && option.hasArg()) {
        values(option.getArgName(), name, begun.substring(0, equals + 1));
      }
      return;
    }
    Option waiting = given.isEmpty() ? null : option(syntax, given.get(given.size() - 1));
    if (waiting != null && waiting.hasArg()) {
      values(waiting.getArgName(), name, "");
    } else if (begun.startsWith("-")) {
      for (Option option : syntax.inOrder()) {
        String word = "--" + option.getLongOpt();
        if (!given.contains(word) || syntax.isRepeatable(option.getLongOpt())) {
          add(word, option.getDescription());
        }
      }
    } else {
      int index = positionals(syntax, given);
      if (index < syntax.positionals().size()) {
        values(syntax.positionals().get(index), name, "");
      }
    }
  }

  /** Returns the number of words that are neither options nor their values. */
  private static int positionals(CommandSyntax syntax, List<String> given) {
    int count = 0;
    for (int i = 0; i < given.size(); i++) {
      String word = given.get(i);
      Option option = option(syntax, word);
      if (option != null && option.hasArg()) {
        i++;
      } else if (!word.startsWith("-") || word.equals("-")) {
        count++;
      }
    }
    return count;
  }

  private static @Nullable Option option(CommandSyntax syntax, String word) {
    for (Option option : syntax.inOrder()) {
      if (word.equals("--" + option.getLongOpt()) || word.equals("-" + option.getOpt())) {
        return option;
      }
    }
    return null;
  }

  private void values(String kind, String command, String before) {
    switch (kind) {
      case "NAME" -> withStore(store -> store.sessions().forEach(each -> add(before + each, "")));
      case "CHANGE" -> changes(before);
      case "AGENT" -> ClientCheck.clients().forEach(each -> add(before + each, ""));
      case "RULE" -> {
        for (AcpAgent.Permission rule : AcpAgent.Permission.values()) {
          add(before + rule.name().toLowerCase(Locale.ROOT), "");
        }
      }
      case "SHELL" -> CompletionCommand.SHELLS.forEach(each -> add(before + each, ""));
      case "TYPE" -> NoteLog.USUAL_TYPES.forEach(each -> add(before + each, ""));
      case "STATUS" -> {
        for (Task.Status status : Task.Status.values()) {
          add(before + status.word(), "");
        }
      }
      case "ID" -> withStore(store -> references(store, command, before));
      default -> {
        // The shell completes files; other texts have no candidates.
      }
    }
  }

  private void changes(String before) {
    Path folder = new Project(environment).find(Change.FOLDER.toString());
    if (folder != null) {
      try {
        Change.names(folder.resolve("../..").normalize()).forEach(each -> add(before + each, ""));
      } catch (RalphException unreadable) {
        found.clear();
      }
    }
  }

  private void references(StoreAccess store, String command, String before) {
    String name = given("name", "n");
    name = name == null ? environment.variable("RALPH_SESSION") : name;
    if (name == null || !store.hasSession(name)) {
      return;
    }
    Session session = store.session(name);
    if (command.startsWith("task ")) {
      session
          .tasks()
          .list()
          .forEach(
              each -> add(before + "t" + each.number(), each.beginning(LONGEST_DESCRIPTION + 1)));
    } else if (command.startsWith("note ")) {
      session
          .notes()
          .list()
          .forEach(
              each -> add(before + "n" + each.number(), each.beginning(LONGEST_DESCRIPTION + 1)));
    } else if (command.startsWith("inbox ")) {
      session
          .inbox()
          .unread()
          .forEach(
              each -> add(before + "m" + each.number(), each.beginning(LONGEST_DESCRIPTION + 1)));
    } else if (command.equals("answer") || command.equals("questions")) {
      session
          .questions()
          .open()
          .forEach(
              each -> add(before + "q" + each.number(), each.beginning(LONGEST_DESCRIPTION + 1)));
    }
  }

  private interface StoreUse {
    void with(StoreAccess store);
  }

  /** Ignores a store that cannot be read, because completion runs while a person types. */
  private void withStore(StoreUse use) {
    try (StoreAccess store =
        StoreAccess.existing(StoreAddress.of(given("store", "store"), environment))) {
      use.with(store);
    } catch (RalphException | UsageException unreadable) {
      found.clear();
    }
  }

  /** Returns the value of an option among the preceding words, or null. */
  private @Nullable String given(String name, String letter) {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith("--" + name + "=")) {
        return word.substring(name.length() + 3);
      }
      boolean isOption = word.equals("--" + name) || word.equals("-" + letter);
      if (isOption && i + 1 < words.size()) {
        return words.get(i + 1);
      }
    }
    return null;
  }

  private void add(String word, String description) {
    if (word.startsWith(begun)) {
      int end = description.indexOf('\n');
      String line = SafeText.line(end < 0 ? description : description.substring(0, end));
      boolean fits = line.length() <= LONGEST_DESCRIPTION;
      found.add(new Candidate(word, fits ? line : line.substring(0, LONGEST_DESCRIPTION) + "…"));
    }
  }
}
