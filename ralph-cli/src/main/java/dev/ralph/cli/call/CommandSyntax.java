package dev.ralph.cli.call;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.cli.Option;
import org.apache.commons.cli.Options;
import org.jspecify.annotations.Nullable;

/** The options and arguments of a command. */
public final class CommandSyntax {

  private static final String BUILD = "build";
  private static final List<String> ROLES = List.of("plan", BUILD, "review");

  private final String summary;
  private final Options options = new Options();
  private final List<Option> inOrder = new ArrayList<>();
  private final List<String> repeatable = new ArrayList<>();

  /** The options that accept a separate value per loop role. */
  private List<String> byRole = List.of();

  /** The option whose values may look like options, or null. */
  private @Nullable String passedOn;

  private final List<String> positionals = new ArrayList<>();
  private int required;
  private boolean several;

  private CommandSyntax(String summary) {
    this.summary = summary;
  }

  /**
   * Creates the syntax of a command without arguments.
   *
   * @param summary the description of the command in a single line
   */
  public static CommandSyntax of(String summary) {
    return new CommandSyntax(summary);
  }

  /** Adds a required argument. */
  public CommandSyntax argument(String name) {
    positionals.add(name);
    required++;
    return this;
  }

  /** Adds a required argument that may be repeated. */
  public CommandSyntax arguments(String name) {
    several = true;
    return argument(name);
  }

  /** Adds an optional argument that may be repeated. */
  public CommandSyntax optionalArguments(String name) {
    several = true;
    return optionalArgument(name);
  }

  /** Adds an optional argument; all later arguments must be optional too. */
  public CommandSyntax optionalArgument(String name) {
    positionals.add(name);
    return this;
  }

  /** Adds an option without a value. */
  public CommandSyntax flag(String name, String description) {
    return add(new Option(null, name, false, description));
  }

  /** Adds an option with a value. */
  public CommandSyntax value(String name, String value, String description) {
    return value(null, name, value, description);
  }

  /** Adds an option with a value and a short name. */
  public CommandSyntax value(@Nullable String letter, String name, String value, String text) {
    Option option = new Option(letter, name, true, text);
    option.setArgName(value);
    return add(option);
  }

  /** Adds an option with a value that may be repeated. */
  public CommandSyntax values(String name, String value, String description) {
    repeatable.add(name);
    return value(name, value, description);
  }

  /**
   * Adds a repeatable option whose values are passed on unchanged, even if they look like options.
   */
  public CommandSyntax passedOn(String name, String value, String description) {
    passedOn = "--" + name;
    return values(name, value, description);
  }

  /** Permits values for a single role of a loop, such as {@code --agent plan=claude}. */
  public CommandSyntax byRole(List<String> names) {
    byRole = names;
    return this;
  }

  /** Adds the option for the session name. */
  public CommandSyntax session() {
    return value(
        "n",
        "name",
        "NAME",
        "the session (default: RALPH_SESSION, name in .ralph.conf, or the only session)");
  }

  /**
   * Adds the option that limits a {@link ListOutput}.
   *
   * @param end the listed end: newest or first
   */
  public CommandSyntax limit(String end) {
    String description =
        "show only the " + end + " N entries (default: " + ListOutput.LIMIT + "; with --json: all)";
    return value("limit", "N", description);
  }

  /** Adds the option for a view of the past. */
  public CommandSyntax at() {
    return value("at", "WHEN", "show the state after a frame (id), at a time, or an age ago (1h)");
  }

  /** Adds the option for the token of a claim. */
  public CommandSyntax token() {
    return value(
        "token",
        "TOKEN",
        "the token of the claim; rejected after the claim has passed to another owner");
  }

  /** Adds the option for the iteration of an entry. */
  public CommandSyntax iteration() {
    return value("iteration", "N", "the iteration (default: the running iteration)");
  }

  /** Adds the option that permits the creation of a missing store. */
  public CommandSyntax create() {
    return flag("create", "create the store if it is missing");
  }

  /** Adds the options of all commands that use a store, including {@code --help}. */
  public CommandSyntax store() {
    return value("store", "DIR", "the store (default: RALPH_STORE or the nearest .ralph/store)")
        .common();
  }

  /** Adds the options of all commands. */
  public CommandSyntax common() {
    flag("json", "print JSON");
    return add(new Option("h", "help", false, "show this help"));
  }

  private CommandSyntax add(Option option) {
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

  /** Returns the options in the order of their addition. */
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
   * An option and its value.
   *
   * @param name the option's name, followed by the role for roles other than build
   */
  public record Given(String name, String value) {}

  /** Splits the role from a given value. */
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

  /** Returns whether the last argument may be repeated. */
  public boolean takesSeveral() {
    return several;
  }

  /** Returns the number of required arguments. */
  public int required() {
    return required;
  }
}
