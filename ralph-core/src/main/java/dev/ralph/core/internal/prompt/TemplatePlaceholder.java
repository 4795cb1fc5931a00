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
 * @param word the placeholder's name
 * @param isSection whether the text has several lines, and must not share a line with adjacent text
 */
record TemplatePlaceholder(String word, boolean isSection) {

  static final TemplatePlaceholder SESSION = new TemplatePlaceholder("session", false);
  static final TemplatePlaceholder ITERATION = new TemplatePlaceholder("iteration", false);
  static final TemplatePlaceholder SPEC = new TemplatePlaceholder("spec", false);
  static final TemplatePlaceholder STORE = new TemplatePlaceholder("store", false);
  static final TemplatePlaceholder ROLE = new TemplatePlaceholder("role", true);
  static final TemplatePlaceholder AGENT = new TemplatePlaceholder("agent", false);
  static final TemplatePlaceholder AGENTS = new TemplatePlaceholder("agents", false);
  static final TemplatePlaceholder TASK = new TemplatePlaceholder("task", true);
  static final TemplatePlaceholder INBOX = new TemplatePlaceholder("inbox", true);
  static final TemplatePlaceholder TASKS = new TemplatePlaceholder("tasks", true);
  static final TemplatePlaceholder NOTES = new TemplatePlaceholder("notes", true);
  static final TemplatePlaceholder HISTORY = new TemplatePlaceholder("history", true);
  static final TemplatePlaceholder TOOLS = new TemplatePlaceholder("tools", true);
  static final TemplatePlaceholder EXTRA = new TemplatePlaceholder("extra", false);

  /** The placeholders of all templates. */
  static final List<TemplatePlaceholder> COMMON =
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
  static TemplatePlaceholder own(String name) {
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
    return new TemplatePlaceholder(name, false);
  }

  /**
   * Returns the placeholder with a name, or null if none exists.
   *
   * @param own the host's own placeholders
   */
  static @Nullable TemplatePlaceholder named(String name, Collection<TemplatePlaceholder> own) {
    for (TemplatePlaceholder placeholder : all(own)) {
      if (placeholder.word.equals(name)) {
        return placeholder;
      }
    }
    return null;
  }

  /** Returns all placeholders, the common placeholders first. */
  static List<TemplatePlaceholder> all(Collection<TemplatePlaceholder> own) {
    List<TemplatePlaceholder> all = new ArrayList<>(COMMON);
    all.addAll(own);
    return all;
  }

  /** Returns all placeholders in template syntax, for a message. */
  static String list(Collection<TemplatePlaceholder> own) {
    return all(own).stream().map(TemplatePlaceholder::toString).collect(Collectors.joining(", "));
  }

  /** Returns the placeholder in template syntax. */
  @Override
  public String toString() {
    return "{{" + word + "}}";
  }
}
