package dev.ralph.core.internal.prompt;

import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A placeholder of a template.
 *
 * @param word its name
 * @param isSection whether its text has several lines, which must not share a line with other text
 */
record Placeholder(String word, boolean isSection) {

  static final Placeholder SESSION = new Placeholder("session", false);
  static final Placeholder ITERATION = new Placeholder("iteration", false);
  static final Placeholder SPEC = new Placeholder("spec", false);
  static final Placeholder STORE = new Placeholder("store", false);
  static final Placeholder ROLE = new Placeholder("role", true);
  static final Placeholder AGENT = new Placeholder("agent", false);
  static final Placeholder AGENTS = new Placeholder("agents", false);
  static final Placeholder TASK = new Placeholder("task", true);
  static final Placeholder INBOX = new Placeholder("inbox", true);
  static final Placeholder TASKS = new Placeholder("tasks", true);
  static final Placeholder NOTES = new Placeholder("notes", true);
  static final Placeholder HISTORY = new Placeholder("history", true);
  static final Placeholder TOOLS = new Placeholder("tools", true);
  static final Placeholder EXTRA = new Placeholder("extra", false);

  /** The placeholders of all templates. */
  static final List<Placeholder> COMMON =
      List.of(
          SESSION, ITERATION, AGENT, AGENTS, SPEC, STORE, ROLE, TASK, INBOX, TASKS, NOTES, HISTORY,
          TOOLS, EXTRA);

  /** The pattern of names. */
  static final String NAME = "[A-Za-z_][A-Za-z0-9_-]*";

  private static final Pattern NAMES = Pattern.compile(NAME);

  /**
   * Returns a placeholder of the host with a name.
   *
   * @throws RalphException INVALID if the name is invalid, or the name of a common placeholder
   */
  static Placeholder own(String name) {
    if (!NAMES.matcher(name).matches()) {
      throw RalphException.invalid(
          "the name of a placeholder must have letters, digits, _ and - only, and begin with a"
              + " letter; found "
              + RalphException.quote(name));
    }
    if (named(name, List.of()) != null) {
      throw RalphException.invalid(
          "the placeholder {{" + name + "}} already exists; use a different name");
    }
    return new Placeholder(name, false);
  }

  /**
   * Returns the placeholder with a name, or null if there is none.
   *
   * @param own the host's own placeholders
   */
  static @Nullable Placeholder named(String name, Collection<Placeholder> own) {
    for (Placeholder placeholder : all(own)) {
      if (placeholder.word.equals(name)) {
        return placeholder;
      }
    }
    return null;
  }

  /** Returns all placeholders, the common placeholders first. */
  static List<Placeholder> all(Collection<Placeholder> own) {
    List<Placeholder> all = new ArrayList<>(COMMON);
    all.addAll(own);
    return all;
  }

  /** Returns all placeholders in template syntax, for a message. */
  static String list(Collection<Placeholder> own) {
    return all(own).stream().map(Placeholder::toString).collect(Collectors.joining(", "));
  }

  /** Returns the placeholder in template syntax. */
  @Override
  public String toString() {
    return "{{" + word + "}}";
  }
}
