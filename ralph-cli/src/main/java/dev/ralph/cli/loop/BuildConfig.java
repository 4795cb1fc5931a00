package dev.ralph.cli.loop;

import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.ConfigFile;
import dev.ralph.cli.call.ConfigLine;
import dev.ralph.cli.call.Invocation;
import dev.ralph.cli.call.Redaction;
import dev.ralph.cli.call.Syntax;
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
 * The file with a project's own defaults for {@code ralph build}: its options, one a line, found as
 * the store is. Every option is known here by itself, because the names come from the command's
 * syntax.
 */
final class BuildConfig {

  /** These say what one call is about. */
  private static final Set<String> FOR_ONE_CALL =
      Set.of(
          "store", "prompt", "tasks", "change", "detach", "label", "dry-run", "yes", "json",
          "help");

  /** What the values are called of options that are run. */
  private static final Set<String> RUN =
      Set.of("COMMAND", "AGENT", "AGENTS", "ARG", "MODE", "RULE");

  private final @Nullable ConfigFile file;
  private final Syntax syntax;
  private final Arguments.Builder options = Arguments.builder();
  private boolean saysWhatIsRedacted;

  private BuildConfig(@Nullable ConfigFile file, Syntax syntax) {
    this.file = file;
    this.syntax = syntax;
    if (file == null) {
      return;
    }
    for (ConfigLine line : file.lines()) {
      if (line.name().equals(Redaction.SETTING)) {
        Redaction.of(line); // what keeps the texts reads it for itself
        saysWhatIsRedacted = true;
      } else {
        read(file.path(), line);
      }
    }
  }

  /**
   * Returns the nearest file; one that is not there says nothing.
   *
   * @param syntax of {@code ralph build}
   * @throws UsageException if a line of the file makes no sense, naming file and line
   * @throws RalphException if the file can't be read
   */
  static BuildConfig of(Invocation call, Syntax syntax) {
    Path found = call.projectFile(ConfigFile.NAME);
    return new BuildConfig(found == null ? null : ConfigFile.read(found), syntax);
  }

  /** Returns the file itself, or null if there is none. */
  @Nullable ConfigFile file() {
    return file;
  }

  /** Returns whether what an option is set to is run, or decides on what the agent does. */
  boolean runs(String name) {
    for (Option option : options(syntax)) {
      if (option.getLongOpt().equals(name)) {
        return option.hasArg() && RUN.contains(option.getArgName());
      }
    }
    return false;
  }

  /** Adds what the file says to what a call was given, and says which options came from there. */
  void addTo(Invocation call) {
    addTo(call, List.of());
  }

  /**
   * As above.
   *
   * @param others options that do not count
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

  /** Returns the options that the file may hold, in order. */
  static List<Option> options(Syntax syntax) {
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
      throw line.wrong(name + " has no value; put a # before the line to leave it out");
    }
    if (!option.hasArg()) {
      if (isYes(line)) {
        options.add(name, null, place);
      }
      return;
    }
    Syntax.Given given = syntax.given(name, value);
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
      throw line.wrong(shown + " is for the command line only");
    }
    List<String> names = known.stream().map(Option::getLongOpt).collect(Collectors.toList());
    String nearest = Suggestion.nearest(name, names);
    throw line.wrong(
        "ralph build has no option "
            + shown
            + (nearest == null
                ? "; ralph build --help shows all"
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
   * Returns the options without those that the call's own take the place of together: a template
   * with the prompt, what to build with a change, and all that is for one agent where the call
   * names another.
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
