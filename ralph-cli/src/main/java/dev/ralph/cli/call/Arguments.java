package dev.ralph.cli.call;

import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.Suggestion;
import dev.ralph.cli.text.Times;
import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.cli.CommandLine;
import org.apache.commons.cli.DefaultParser;
import org.apache.commons.cli.MissingArgumentException;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.ParseException;
import org.apache.commons.cli.UnrecognizedOptionException;
import org.jspecify.annotations.Nullable;

/** What was written after a command's name. */
public final class Arguments {

  private final String command;
  private final List<String> words;
  private final Map<String, List<String>> options;
  private final List<String> positionals;

  /** Where the values stand that were not written after the command, by the option's name. */
  private final Map<String, List<String>> places;

  private Arguments(
      String command,
      List<String> words,
      Map<String, List<String>> options,
      List<String> positionals,
      Map<String, List<String>> places) {
    this.command = command;
    this.words = words;
    this.options = options;
    this.positionals = positionals;
    this.places = places;
  }

  /**
   * Takes the words apart.
   *
   * @throws UsageException if they don't fit, saying what does
   */
  public static Arguments parse(String command, Syntax syntax, List<String> words) {
    List<String> joined = joined(syntax, words);
    checkValues(syntax, joined);
    CommandLine line;
    try {
      // Without the builder's choices it would strip quotes that belong to a value, and take --st
      // for
      // any option that begins so.
      line =
          DefaultParser.builder()
              .setAllowPartialMatching(false)
              .setStripLeadingAndTrailingQuotes(false)
              .get()
              .parse(syntax.options(), joined.toArray(new String[0]));
    } catch (ParseException e) {
      throw new UsageException(explain(command, syntax, e));
    }
    Map<String, List<String>> options = new HashMap<>();
    // Not through the library's own queries: they load some eighty classes for streams.
    for (Option option : line.getOptions()) {
      String name = option.getLongOpt();
      boolean isRepeatable = syntax.isRepeatable(name);
      List<String> values = option.getValuesList();
      if (option.hasArg()) {
        Syntax.Given given = syntax.given(name, values.get(0));
        name = given.name();
        values = List.of(given.value());
      }
      List<String> seen = options.put(name, values);
      if (seen != null && !isRepeatable && option.hasArg()) {
        throw new UsageException("--" + name + " was given twice; give it once");
      }
      if (seen != null && option.hasArg()) {
        List<String> all = new ArrayList<>(seen);
        all.addAll(values);
        options.put(name, all);
      }
    }
    return new Arguments(command, List.copyOf(words), options, line.getArgList(), Map.of());
  }

  /** Returns the words, with each value that is passed on joined to its option. */
  private static List<String> joined(Syntax syntax, List<String> words) {
    List<String> joined = new ArrayList<>(words.size());
    boolean ended = false;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      ended |= word.equals("--");
      if (!ended && syntax.isPassedOn(word) && i + 1 < words.size()) {
        word = word + "=" + words.get(++i);
      }
      joined.add(word);
    }
    return joined;
  }

  /**
   * Refuses an option in the place of a value: the library would take it for the value unless it
   * knows it, so that {@code -n -x} would be a session named {@code -x}.
   */
  private static void checkValues(Syntax syntax, List<String> words) {
    for (int i = 0; i + 1 < words.size() && !words.get(i).equals("--"); i++) {
      Option option =
          words.get(i).startsWith("-") ? syntax.options().getOption(words.get(i)) : null;
      if (option != null && option.hasArg()) {
        i++;
        if (looksLikeOption(words.get(i))) {
          throw new UsageException(needsValue(option));
        }
      }
    }
  }

  /**
   * Returns whether a word looks like an option; a negative number or a list in Markdown does not.
   * No regular expression: the first one of a process takes milliseconds.
   */
  private static boolean looksLikeOption(String word) {
    if (word.length() < 2 || word.charAt(0) != '-') {
      return false;
    }
    int second = word.codePointAt(1);
    return (second == '-' || Character.isLetter(second)) && !hasSpace(word);
  }

  private static boolean hasSpace(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (" \t\n\u000b\f\r".indexOf(word.charAt(i)) >= 0) {
        return true;
      }
    }
    return false;
  }

  private static String needsValue(Option option) {
    String name = "--" + option.getLongOpt();
    return name + " needs a value; write one that begins with '-' as " + name + "=VALUE";
  }

  /** Returns these, with the options of the others that these have not. */
  Arguments orElse(Arguments others) {
    Map<String, List<String>> merged = new HashMap<>(others.options);
    merged.putAll(options);
    Map<String, List<String>> from = new HashMap<>(others.places);
    from.keySet().removeAll(options.keySet());
    return new Arguments(command, words, merged, positionals, from);
  }

  /**
   * Returns what holds for a role of a loop that does not build: what was given for it, else for
   * all.
   *
   * @param own options that hold for it only if they were given for it
   */
  public Arguments ofRole(String role, List<String> own) {
    Map<String, List<String>> held = new HashMap<>();
    Map<String, List<String>> from = new HashMap<>();
    for (Map.Entry<String, List<String>> option : options.entrySet()) {
      String name = option.getKey();
      if (name.indexOf(' ') < 0 && !own.contains(name)) {
        held.putIfAbsent(name, option.getValue());
        from.putIfAbsent(name, placesOf(name));
      } else if (name.endsWith(" " + role)) {
        String plain = name.substring(0, name.indexOf(' '));
        held.put(plain, option.getValue());
        from.put(plain, placesOf(name));
      }
    }
    return new Arguments(command, words, held, positionals, from);
  }

  /**
   * Returns the same with an option, whatever it was before.
   *
   * @param value null for one that has none
   * @param place where it stands, as a message calls it
   */
  public Arguments with(String name, @Nullable String value, String place) {
    Map<String, List<String>> held = new HashMap<>(options);
    held.put(name, value == null ? List.of() : List.of(value));
    Map<String, List<String>> from = new HashMap<>(places);
    from.put(name, List.of(place));
    return new Arguments(command, words, held, positionals, from);
  }

  /** Returns the same without these options. */
  public Arguments without(List<String> names) {
    Map<String, List<String>> held = new HashMap<>(options);
    held.keySet().removeAll(names);
    return new Arguments(command, words, held, positionals, places);
  }

  private List<String> placesOf(String name) {
    return places.getOrDefault(
        name, Collections.nCopies(Math.max(1, values(name).size()), written(name, 0)));
  }

  /** Returns an option that was given for a role of a loop that does not build, or null. */
  public @Nullable String nameOfRole(String role) {
    for (String name : options.keySet()) {
      if (name.endsWith(" " + role)) {
        return name.substring(0, name.indexOf(' '));
      }
    }
    return null;
  }

  /** Returns the names of the options that were given, sorted. */
  List<String> names() {
    return options.keySet().stream().sorted().toList();
  }

  /**
   * Returns a value of an option as its writer knows it: {@code --gate}, or its place in a file.
   */
  public String written(String name, int index) {
    List<String> from = places.get(name);
    return from == null ? "--" + name + (name.indexOf(' ') < 0 ? "" : "=…") : from.get(index);
  }

  private static String explain(String command, Syntax syntax, ParseException e) {
    if (e instanceof UnrecognizedOptionException) {
      String typed = ((UnrecognizedOptionException) e).getOption();
      int equals = typed.indexOf('=');
      String name = equals < 0 ? typed : typed.substring(0, equals);
      List<String> names = new ArrayList<>();
      for (Option option : syntax.inOrder()) {
        names.add("--" + option.getLongOpt());
      }
      String nearest = Suggestion.nearest(name, names);
      return "ralph "
          + command
          + " has no option "
          + RalphException.quote(name)
          + (nearest == null
              ? "; see ralph " + command + " --help"
              : "; did you mean " + nearest + "?");
    }
    if (e instanceof MissingArgumentException) {
      return needsValue(((MissingArgumentException) e).getOption());
    }
    return String.valueOf(e.getMessage());
  }

  /**
   * Checks that neither too few nor too many arguments were given.
   *
   * @throws UsageException if not
   */
  public void checkCount(Syntax syntax) {
    if (positionals.size() < syntax.required()) {
      throw new UsageException(
          "ralph "
              + command
              + " needs "
              + syntax.positionals().get(positionals.size())
              + "; see ralph "
              + command
              + " --help");
    }
    int most = syntax.positionals().size();
    if (positionals.size() > most && !syntax.takesSeveral()) {
      throw new UsageException(
          "ralph "
              + command
              + (most == 0
                  ? " takes options only"
                  : " takes only " + String.join(" ", syntax.positionals()))
              + ", so "
              + RalphException.quote(positionals.get(most))
              + " is too much"
              + (most > 0 && syntax.positionals().get(most - 1).equals("TEXT")
                  ? "; put text with blanks in quotes"
                  : "; see ralph " + command + " --help"));
    }
  }

  /** Returns the command's name, such as {@code task add}. */
  String command() {
    return command;
  }

  /** Returns what was written after the command's name, as it was. */
  List<String> words() {
    return words;
  }

  /** Returns whether an option was given. */
  public boolean has(String name) {
    return options.containsKey(name);
  }

  /** Returns an option's value, or null if it was not given. */
  public @Nullable String text(String name) {
    List<String> values = options.get(name);
    return values == null ? null : values.get(0);
  }

  /**
   * Returns the value of an option that must be given.
   *
   * @throws UsageException if it was not
   */
  public String required(String name) {
    String value = text(name);
    if (value == null) {
      throw new UsageException("ralph " + command + " needs --" + name);
    }
    return value;
  }

  /** Returns all values of an option, in order; empty if it was not given. */
  public List<String> values(String name) {
    return options.getOrDefault(name, List.of());
  }

  /**
   * Returns an option's value as a number.
   *
   * @param otherwise what to return if it was not given
   * @throws UsageException if it is none, or not from least to most
   */
  public int number(String name, int otherwise, int least, int most) {
    String value = text(name);
    if (value == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // said below
    }
    throw new UsageException(
        written(name, 0)
            + " must be a number from "
            + least
            + " to "
            + most
            + ", not "
            + RalphException.quote(value));
  }

  /**
   * Returns an option's value as a length of time, or null if it was not given.
   *
   * @throws UsageException if it is none
   */
  public @Nullable Duration duration(String name) {
    String value = text(name);
    if (value == null) {
      return null;
    }
    Duration duration = Durations.parse(value);
    if (duration == null) {
      throw new UsageException(
          written(name, 0)
              + " must be a time such as 30s, 10m or 1h30m, not "
              + RalphException.quote(value));
    }
    return duration;
  }

  /**
   * Returns an option's value as a length of time, or the other one if it was not given.
   *
   * @throws UsageException if it is none
   */
  public Duration duration(String name, Duration otherwise) {
    Duration duration = duration(name);
    return duration == null ? otherwise : duration;
  }

  /**
   * Returns the moment of an option's value: a time, a date, which ends with that day here, or a
   * length of time from now on. Null if it was not given.
   *
   * @throws UsageException if it is neither
   */
  public @Nullable Instant deadline(String name) {
    String value = text(name);
    if (value == null) {
      return null;
    }
    Duration left = Durations.parse(value);
    Instant time =
        left == null ? Times.parseEnd(value, ZoneId.systemDefault()) : Instant.now().plus(left);
    if (time == null) {
      throw new UsageException(
          written(name, 0)
              + " must be a time from now on, such as 30m, or one such as 2026-01-31T09:05:00Z, not "
              + RalphException.quote(value));
    }
    return time;
  }

  /**
   * Returns the priority that an option names; normal if it was not given.
   *
   * @throws UsageException if there is none of that name
   */
  public Priority priority(String name) {
    String word = text(name);
    if (word == null) {
      return Priority.NORMAL;
    }
    Priority priority = Priority.of(word);
    if (priority == null) {
      throw new UsageException(
          written(name, 0) + " must be high, normal or low, not " + RalphException.quote(word));
    }
    return priority;
  }

  /** Returns all arguments. */
  public List<String> all() {
    return List.copyOf(positionals);
  }

  /** Returns the argument of that index, or null if there are fewer. */
  public @Nullable String argument(int index) {
    return index < positionals.size() ? positionals.get(index) : null;
  }

  /** Returns an argument that {@link #checkCount} has found to be there. */
  public String requiredArgument(int index) {
    return positionals.get(index);
  }

  /** Gathers options that stand in a file. */
  public static Builder builder() {
    return new Builder();
  }

  /** Gathers options. */
  public static final class Builder {

    private final Map<String, List<String>> options = new HashMap<>();
    private final Map<String, List<String>> places = new HashMap<>();

    private Builder() {}

    /**
     * Adds an option.
     *
     * @param value its value, or null if it has none
     * @param place where it stands, as a message calls it
     */
    public void add(String name, @Nullable String value, String place) {
      List<String> values = options.computeIfAbsent(name, first -> new ArrayList<>());
      if (value != null) {
        values.add(value);
      }
      places.computeIfAbsent(name, first -> new ArrayList<>()).add(place);
    }

    public boolean has(String name) {
      return options.containsKey(name);
    }

    /** Returns an option's value, or the other one if it was not added. */
    public String text(String name, String otherwise) {
      List<String> values = options.get(name);
      return values == null ? otherwise : values.get(0);
    }

    public Builder without(List<String> names) {
      options.keySet().removeAll(names);
      places.keySet().removeAll(names);
      return this;
    }

    public Arguments build() {
      return new Arguments("", List.of(), options, List.of(), places);
    }
  }
}
