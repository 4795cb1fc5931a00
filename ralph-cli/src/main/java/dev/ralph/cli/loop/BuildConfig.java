package dev.ralph.cli.loop;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.ConfigLine;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Project;
import dev.ralph.cli.call.Redaction;
import dev.ralph.cli.call.UsageException;
import dev.ralph.cli.text.Suggestion;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.cli.Option;
import org.jspecify.annotations.Nullable;

/**
 * The file with a project's default options for {@code ralph build}, with an option per line. The
 * search for the file is the same as for the store. The names come from the command's syntax, so
 * new options need no change here.
 */
public final class BuildConfig {

  /** The options that apply to a single call only. */
  private static final Set<String> FOR_ONE_CALL =
      Set.of(
          "store", "prompt", "tasks", "change", "pr", "detach", "label", "dry-run", "yes", "json",
          "help");

  /** The value names of options that are executed. */
  private static final Set<String> RUN =
      Set.of("COMMAND", "AGENT", "AGENTS", "ARG", "MODE", "RULE");

  private final @Nullable ConfigFile file;
  private final CommandSyntax syntax;
  private final Arguments.Builder options = Arguments.builder();
  private boolean saysWhatIsRedacted;

  private BuildConfig(@Nullable ConfigFile file, CommandSyntax syntax) {
    this.file = file;
    this.syntax = syntax;
    if (file == null) {
      return;
    }
    for (ConfigLine line : file.lines()) {
      if (line.name().equals(Redaction.SETTING)) {
        Redaction.of(line); // the redactor reads the setting itself
        saysWhatIsRedacted = true;
      } else {
        read(file.path(), line);
      }
    }
  }

  /**
   * Reads the nearest file; without a file the options are empty.
   *
   * @param syntax the syntax of {@code ralph build}
   * @throws UsageException if a line is invalid; the message names file and line
   * @throws RalphException if the file cannot be read
   */
  public static BuildConfig of(Invocation call, CommandSyntax syntax) {
    Path found = Project.file(call.environment(), ConfigFile.NAME);
    return new BuildConfig(found == null ? null : ConfigFile.read(found), syntax);
  }

  /** Returns the file, or null if no file exists. */
  @Nullable ConfigFile file() {
    return file;
  }

  /** Returns whether the value of an option is executed or controls the agent. */
  boolean runs(String name) {
    for (Option option : options(syntax)) {
      if (option.getLongOpt().equals(name)) {
        return option.hasArg() && RUN.contains(option.getArgName());
      }
    }
    return false;
  }

  /** Adds the options of the file to a call, and reports their names. */
  void addTo(Invocation call) {
    addTo(call, List.of());
  }

  /**
   * Adds the options of the file to a call, and reports their names.
   *
   * @param others options to ignore
   */
  void addTo(Invocation call, List<String> others) {
    if (file == null) {
      return;
    }
    List<String> used = call.addDefaults(without(call.arguments(), others));
    for (String name : used) {
      if (name.startsWith("template")) {
        Templates.requireInside(file.path(), Path.of(call.arguments().required(name)));
      }
    }
    if (saysWhatIsRedacted) {
      used.add(Redaction.SETTING);
    }
    if (!used.isEmpty()) {
      call.warn("options from " + file.path() + ": " + String.join(", ", used));
    }
  }

  /** Returns the options permitted in the file, in order. */
  public static List<Option> options(CommandSyntax syntax) {
    return syntax.inOrder().stream()
        .filter(option -> !FOR_ONE_CALL.contains(option.getLongOpt()))
        .toList();
  }

  private void read(Path path, ConfigLine line) {
    String name = line.name();
    String value = line.value();
    Option option = option(line);
    String place = name + " in " + line.place();
    if (value.isEmpty()) {
      throw line.wrong(name + " has no value; put # before the line to omit the option");
    }
    if (!option.hasArg()) {
      if (isYes(line)) {
        options.add(name, null, place);
      }
      return;
    }
    CommandSyntax.Given given = syntax.given(name, value);
    if (options.has(given.name()) && !syntax.isRepeatable(name)) {
      throw line.wrong(name + " was given before; give it once");
    }
    boolean isPath = "FILE".equals(option.getArgName());
    options.add(
        given.name(),
        isPath ? path.resolveSibling(given.value()).toString() : given.value(),
        place);
  }

  private Option option(ConfigLine line) {
    String name = line.name();
    List<Option> known = options(syntax);
    for (Option option : known) {
      if (option.getLongOpt().equals(name)) {
        return option;
      }
    }
    String shown = RalphException.quote(name);
    if (FOR_ONE_CALL.contains(name)) {
      throw line.wrong(shown + " is for the command line only; remove it from the file");
    }
    List<String> names = known.stream().map(Option::getLongOpt).collect(Collectors.toList());
    String nearest = Suggestion.nearest(name, names);
    throw line.wrong(
        "ralph build has no option "
            + shown
            + (nearest == null
                ? "; ralph build --help lists the options"
                : "; did you mean " + nearest + "?"));
  }

  private static boolean isYes(ConfigLine line) {
    return switch (line.value()) {
      case "yes", "true" -> true;
      case "no", "false" -> false;
      default ->
          throw line.wrong(
              line.name() + " must be yes or no, not " + RalphException.quote(line.value()));
    };
  }

  /**
   * Returns the options without those replaced by options of the call. A prompt replaces the
   * template, a change replaces the spec, and another agent replaces all options of an agent.
   */
  private Arguments without(Arguments given, List<String> others) {
    List<String> left = new ArrayList<>(others);
    if (given.has("prompt")) {
      left.add("template");
    }
    if (given.has("change")) {
      left.addAll(List.of("template", "spec", "name"));
    }
    for (String role : List.of("", " plan", " review")) {
      @Nullable String agent = given.text("agent" + role);
      if (agent != null && !agent.equals(options.text("agent" + role, AgentChoice.USUAL_AGENT))) {
        AgentChoice.optionNames().forEach(name -> left.add(name + role));
      }
    }
    return options.without(left).build();
  }
}
