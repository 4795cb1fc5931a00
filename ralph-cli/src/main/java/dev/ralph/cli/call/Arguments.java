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

/** The parsed options and arguments of a command. */
public final class Arguments {

  private final String command;
  private final List<String> words;
  private final Map<String, List<String>> options;
  private final List<String> positionals;

  /** The places of values from outside the command line, such as a file, by option name. */
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
   * Parses the words after the command name.
   *
   * @throws UsageException if the words do not match the syntax; the message names the remedy
   */
  public static Arguments parse(String command, CommandSyntax syntax, List<String> words) {
    List<String> joined = joined(syntax, words);
    checkValues(syntax, joined);
    CommandLine line;
    try {
      // The default builder would strip quotes from values, and would accept an unambiguous prefix
      // such as --st as an option.
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
    // The library's own queries load about eighty classes for streams.
    for (Option option : line.getOptions()) {
      String name = option.getLongOpt();
      boolean isRepeatable = syntax.isRepeatable(name);
      List<String> values = option.getValuesList();
      if (option.hasArg()) {
        CommandSyntax.Given given = syntax.given(name, values.get(0));
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

  /** Joins each value passed on to its option, and returns all words. */
  private static List<String> joined(CommandSyntax syntax, List<String> words) {
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
   * Rejects an option in the place of a value. The library rejects only known options, so {@code -n
   * -x} would name a session {@code -x}.
   */
  private static void checkValues(CommandSyntax syntax, List<String> words) {
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
   * Returns whether a word looks like an option. Negative numbers and Markdown lists do not. The
   * method avoids regular expressions, because the first use in a process takes milliseconds.
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
    return name + " needs a value; write a value that begins with '-' as " + name + "=VALUE";
  }

  /** Returns these arguments, completed by options of the other arguments. */
  Arguments orElse(Arguments others) {
    Map<String, List<String>> merged = new HashMap<>(others.options);
    merged.putAll(options);
    Map<String, List<String>> from = new HashMap<>(others.places);
    from.keySet().removeAll(options.keySet());
    return new Arguments(command, words, merged, positionals, from);
  }

  /**
   * Returns the options of a loop role other than build. An option of the role replaces the same
   * option for all roles.
   *
   * @param own options that apply only if they are given for the role
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
   * Returns a copy with an option, which replaces an earlier value.
   *
   * @param value the value, or null for an option without a value
   * @param place the place of the option for messages
   */
  public Arguments with(String name, @Nullable String value, String place) {
    Map<String, List<String>> held = new HashMap<>(options);
    held.put(name, value == null ? List.of() : List.of(value));
    Map<String, List<String>> from = new HashMap<>(places);
    from.put(name, List.of(place));
    return new Arguments(command, words, held, positionals, from);
  }

  /** Returns a copy without the given options. */
  public Arguments without(List<String> names) {
    Map<String, List<String>> held = new HashMap<>(options);
    held.keySet().removeAll(names);
    return new Arguments(command, words, held, positionals, places);
  }

  private List<String> placesOf(String name) {
    return places.getOrDefault(
        name, Collections.nCopies(Math.max(1, values(name).size()), written(name, 0)));
  }

  /** Returns the name of an option given for a role other than build, or null if no option is. */
  public @Nullable String nameOfRole(String role) {
    for (String name : options.keySet()) {
      if (name.endsWith(" " + role)) {
        return name.substring(0, name.indexOf(' '));
      }
    }
    return null;
  }

  /** Returns the sorted names of all given options. */
  List<String> names() {
    return options.keySet().stream().sorted().toList();
  }

  /**
   * Returns the source of an option's value for messages, such as {@code --gate} or a place in a
   * file.
   */
  public String written(String name, int index) {
    List<String> from = places.get(name);
    return from == null ? "--" + name + (name.indexOf(' ') < 0 ? "" : "=…") : from.get(index);
  }

  private static String explain(String command, CommandSyntax syntax, ParseException e) {
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
   * Validates the number of arguments.
   *
   * @throws UsageException if arguments are missing or superfluous
   */
  public void checkCount(CommandSyntax syntax) {
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
              + "; "
              + RalphException.quote(positionals.get(most))
              + " is unexpected"
              + (most > 0 && syntax.positionals().get(most - 1).equals("TEXT")
                  ? "; put text with spaces in quotes"
                  : most == 0 && !has("name") && syntax.options().hasLongOption("name")
                      ? "; to select a session, write -n NAME"
                      : "; see ralph " + command + " --help"));
    }
  }

  /** Returns the name of the command, such as {@code task add}. */
  String command() {
    return command;
  }

  /** Returns the unparsed words after the command name. */
  List<String> words() {
    return words;
  }

  /** Returns whether an option was given. */
  public boolean has(String name) {
    return options.containsKey(name);
  }

  /** Returns the first value of an option, or null if the option is missing. */
  public @Nullable String text(String name) {
    List<String> values = options.get(name);
    return values == null ? null : values.get(0);
  }

  /**
   * Returns the value of a required option.
   *
   * @throws UsageException if the option is missing
   */
  public String required(String name) {
    String value = text(name);
    if (value == null) {
      throw new UsageException("ralph " + command + " needs --" + name);
    }
    return value;
  }

  /** Returns all values of an option in order; empty if the option is missing. */
  public List<String> values(String name) {
    return options.getOrDefault(name, List.of());
  }

  /**
   * Parses the value of an option as a number.
   *
   * @param otherwise the default for a missing option
   * @throws UsageException if the value is not a number between least and most, inclusive
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
      // reported below
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
   * Parses the value of an option as a duration; null if the option is missing.
   *
   * @throws UsageException if the value is not a duration
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
              + " must be a duration such as 30s, 10m or 1h30m, not "
              + RalphException.quote(value));
    }
    return duration;
  }

  /**
   * Parses the value of an option as a duration, or returns the default if the option is missing.
   *
   * @throws UsageException if the value is not a duration
   */
  public Duration duration(String name, Duration otherwise) {
    Duration duration = duration(name);
    return duration == null ? otherwise : duration;
  }

  /**
   * Parses the value of an option as a past time; null if the option is missing. The value is a
   * time or an age.
   *
   * @throws UsageException if the value has none of these formats
   */
  public @Nullable Instant past(String name) {
    String value = text(name);
    if (value == null) {
      return null;
    }
    Duration age = Durations.parse(value);
    Instant time =
        age == null ? Times.parse(value, ZoneId.systemDefault()) : Instant.now().minus(age);
    if (time == null) {
      throw new UsageException(
          written(name, 0)
              + " must be an age such as 30d, or a time such as 2026-01-31T09:05:00Z, not "
              + RalphException.quote(value));
    }
    return time;
  }

  /**
   * Parses the value of an option as a deadline; null if the option is missing. The value is a
   * time, a date, which means the end of the day in the local zone, or a duration from now.
   *
   * @throws UsageException if the value has none of these formats
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
              + " must be a duration such as 30m, or a time such as 2026-01-31T09:05:00Z, not "
              + RalphException.quote(value));
    }
    return time;
  }

  /**
   * Parses the value of an option as a priority; normal if the option is missing.
   *
   * @throws UsageException if the value is not a priority
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

  /** Returns the argument at an index, or null if fewer arguments were given. */
  public @Nullable String argument(int index) {
    return index < positionals.size() ? positionals.get(index) : null;
  }

  /** Returns an argument whose presence {@link #checkCount} has validated. */
  public String requiredArgument(int index) {
    return positionals.get(index);
  }

  /** Returns a builder for options from a file. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects options. */
  public static final class Builder {

    private final Map<String, List<String>> options = new HashMap<>();
    private final Map<String, List<String>> places = new HashMap<>();

    private Builder() {}

    /**
     * Adds an option.
     *
     * @param value the value, or null for an option without a value
     * @param place the place of the option for messages
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

    /** Returns the first value of an option, or the default if the option was not added. */
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
