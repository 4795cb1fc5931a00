package dev.ralph.core.internal.commit;

import dev.ralph.log.RalphException;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creates the first line of a commit message from a template. */
public final class CommitTitle {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

  private CommitTitle() {}

  /**
   * Validates a template.
   *
   * @throws RalphException INVALID if the template is invalid; the message lists the placeholders
   */
  public static void requireTemplate(String template) {
    boolean isOneLine = template.chars().noneMatch(Character::isISOControl);
    boolean hasTitle = false;
    boolean isKnown = true;
    for (MatchResult each : PLACEHOLDER.matcher(template).results().toList()) {
      hasTitle |= each.group(1).equals("title") || each.group(1).equals("lower-title");
      isKnown &= values("", "").containsKey(each.group(1));
    }
    if (!isOneLine || !hasTitle || !isKnown) {
      throw RalphException.invalid(
          "the template of commit titles, "
              + RalphException.quote(template)
              + ", must be a single line with {title} or {lower-title}, and may contain {task},"
              + " for example: feat: {title} ({task})");
    }
  }

  /**
   * Returns the title of a task's commit.
   *
   * @param template null for the title followed by the task's number
   * @param task the task's number, such as {@code t4}
   */
  public static String ofTask(@Nullable String template, String title, String task) {
    return template == null ? title + " (" + task + ")" : filled(template, title, task);
  }

  /**
   * Returns the title of a commit without a task.
   *
   * @param template null for the title alone
   */
  public static String ofSession(@Nullable String template, String title, String session) {
    return template == null ? title : filled(template, title, session);
  }

  private static String filled(String template, String title, String task) {
    Map<String, String> values = values(title, task);
    return PLACEHOLDER
        .matcher(template)
        .replaceAll(
            found -> Matcher.quoteReplacement(values.getOrDefault(found.group(1), found.group())));
  }

  private static Map<String, String> values(String title, String task) {
    return Map.of("title", title, "lower-title", lower(title), "task", task);
  }

  /** Returns a title with a lower-case first letter, unless the title begins with an acronym. */
  private static String lower(String title) {
    boolean isAcronym = title.length() > 1 && Character.isUpperCase(title.charAt(1));
    return title.isEmpty() || isAcronym
        ? title
        : Character.toLowerCase(title.charAt(0)) + title.substring(1);
  }
}
