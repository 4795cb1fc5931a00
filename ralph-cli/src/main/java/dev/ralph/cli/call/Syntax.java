package dev.ralph.cli.call;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.jspecify.annotations.Nullable;

/** What may be written after a command's name, and what it means. */
public final class Syntax {

  private static final String BUILD = "build";
  private static final List<String> ROLES = List.of("plan", BUILD, "review");

  private final String summary;
  private final Options options = new Options();
  private final List<Option> inOrder = new ArrayList<>();
  private final List<String> repeatable = new ArrayList<>();

  /** Options that a role of a loop may have its own of. */
  private List<String> byRole = List.of();

  /** Of an option whose value may look like an option; null if there is none. */
  private @Nullable String passedOn;

  private final List<String> positionals = new ArrayList<>();
  private int required;
  private boolean several;

  private Syntax(String summary) {
    this.summary = summary;
  }

  /**
   * Returns the syntax of a command without arguments.
   *
   * @param summary what the command does, in one line
   */
  public static Syntax of(String summary) {
    return new Syntax(summary);
  }

  /** Adds an argument that must be given. */
  public Syntax argument(String name) {
    positionals.add(name);
    required++;
    return this;
  }

  /** Adds an argument that must be given, and may be given several times. */
  public Syntax arguments(String name) {
    several = true;
    return argument(name);
  }

  /** Adds an argument that may be left out, and may be given several times. */
  public Syntax optionalArguments(String name) {
    several = true;
    return optionalArgument(name);
  }

  /** Adds an argument that may be left out; all that follow may be as well. */
  public Syntax optionalArgument(String name) {
    positionals.add(name);
    return this;
  }

  /** Adds an option that is there or not. */
  public Syntax flag(String name, String description) {
    return add(new Option(null, name, false, description));
  }

  /** Adds an option with a value. */
  public Syntax value(String name, String value, String description) {
    return value(null, name, value, description);
  }

  /** Adds an option with a value and a short name. */
  public Syntax value(@Nullable String letter, String name, String value, String text) {
    Option option = new Option(letter, name, true, text);
    option.setArgName(value);
    return add(option);
  }

  /** Adds an option with a value that may be given several times. */
  public Syntax values(String name, String value, String description) {
    repeatable.add(name);
    return value(name, value, description);
  }

  /**
   * Adds the option whose values are passed on as they are, also where they look like options. May
   * be given several times.
   */
  public Syntax passedOn(String name, String value, String description) {
    passedOn = "--" + name;
    return values(name, value, description);
  }

  /** Lets options be given for a role of a loop only, as {@code --agent plan=claude}. */
  public Syntax byRole(List<String> names) {
    byRole = names;
    return this;
  }

  /** Adds the option that names the session. */
  public Syntax session() {
    return value(
        "n",
        "name",
        "NAME",
        "the session; else RALPH_SESSION, name in .ralph.conf, or the only one");
  }

  /**
   * Adds the option that cuts a {@link Listing}.
   *
   * @param end which things are shown: the newest or the first
   */
  public Syntax limit(String end) {
    String description =
        "only the " + end + " N; " + Listing.LIMIT + " if not given, all with --json";
    return value("limit", "N", description);
  }

  /** Adds the option that looks at the past. */
  public Syntax at() {
    return value(
        "at", "WHEN", "as it was right after that frame (id), at that time, or so long ago (1h)");
  }

  /** Adds the option that speaks for a claim. */
  public Syntax token() {
    return value("token", "TOKEN", "of the claim; refused once somebody else has claimed the task");
  }

  /** Adds the option that says in which iteration something is done. */
  public Syntax iteration() {
    return value("iteration", "N", "in which iteration; the running one if not given");
  }

  /** Adds the option that lets a missing store be made. */
  public Syntax create() {
    return flag("create", "make the store if it is missing");
  }

  /** Adds what every command that uses a store has, and {@code --help}. */
  public Syntax store() {
    return value("store", "DIR", "the store; RALPH_STORE or the nearest .ralph/store if not given")
        .common();
  }

  /** Adds what every command has. */
  public Syntax common() {
    flag("json", "answer in JSON");
    return add(new Option("h", "help", false, "show this"));
  }

  private Syntax add(Option option) {
    options.addOption(option);
    inOrder.add(option);
    return this;
  }

  public String summary() {
    return summary;
  }

  Options options() {
    return options;
  }

  /** Returns the options in the order they were added. */
  public List<Option> inOrder() {
    return inOrder;
  }

  /** Returns whether a word is the option whose values are passed on. */
  boolean isPassedOn(String word) {
    return word.equals(passedOn);
  }

  public boolean isRepeatable(String name) {
    return repeatable.contains(name);
  }

  /**
   * An option and a value of it.
   *
   * @param name the option's, with the role behind it where it is for one that does not build
   */
  public record Given(String name, String value) {}

  /** Returns an option as it was given. */
  public Given given(String name, String value) {
    if (byRole.contains(name)) {
      for (String role : ROLES) {
        if (value.startsWith(role + "=")) {
          String rest = value.substring(role.length() + 1);
          return new Given(role.equals(BUILD) ? name : name + " " + role, rest);
        }
      }
    }
    return new Given(name, value);
  }

  /** Returns the names of the arguments in order. */
  public List<String> positionals() {
    return positionals;
  }

  /** Returns whether the last argument may be given several times. */
  public boolean takesSeveral() {
    return several;
  }

  /** Returns how many of the arguments must be given. */
  public int required() {
    return required;
  }
}
