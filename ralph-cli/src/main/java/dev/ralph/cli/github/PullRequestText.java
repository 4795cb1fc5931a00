package dev.ralph.cli.github;

import dev.ralph.Redactor;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.core.internal.text.TaskWords;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The title and the description of a pull request. Texts of tasks may come from agents and
 * strangers. They must not notify people or close issues, so the description shows them as code.
 * Secrets are removed, also from texts of the user, because anybody may read a pull request.
 */
final class PullRequestText {

  /** The number of tasks in a description, which GitHub limits to 65,536 characters. */
  private static final int MOST_TASKS = 100;

  private static final int LONGEST_TITLE = 100;
  private static final int LONGEST_TASK = 120;

  /** The part of a line that is searched for secrets before the line is cut. */
  private static final int LONGEST_LINE = 4_096;

  /** The mark of a task with more lines. */
  private static final String MORE = " …";

  private static final Pattern ISSUE = Pattern.compile("^Issue #\\d+: ");

  private static final int ID_LENGTH = 12;

  private final String session;

  /** The name and a hash of the id, because sessions of other stores may have the same name. */
  private final String mark;

  private final GitHubRepository repository;
  private final TaskList tasks;
  private final Redactor redactor;

  /**
   * @param id the id of the session in its store
   */
  PullRequestText(
      String session, String id, GitHubRepository repository, TaskList tasks, Redactor redactor) {
    this.session = session;
    this.mark = session + " " + Sha256.of(id).substring(0, ID_LENGTH);
    this.repository = repository;
    this.tasks = tasks;
    this.redactor = redactor;
  }

  /** Returns the title: the settled tasks, or the session without such a task. */
  String title() {
    List<String> titles = new ArrayList<>();
    for (Task task : tasks) {
      if (isSettled(task)) {
        String line = TextExcerpt.cut(firstLine(task), LONGEST_TASK);
        String whole =
            line.endsWith(MORE) ? line.substring(0, line.length() - MORE.length()) : line;
        titles.add(plain(ISSUE.matcher(whole).replaceFirst("")));
      }
    }
    titles.removeIf(String::isBlank);
    return titles.isEmpty() ? session : TextExcerpt.cut(String.join("; ", titles), LONGEST_TITLE);
  }

  /** Returns a text in which GitHub finds no names, issues or addresses. */
  static String plain(String text) {
    return SafeText.line(text)
        .replaceAll("#(?=\\d)", "# ")
        .replaceAll("(?i)GH-(?=\\d)", "GH ")
        .replaceAll("@(?=\\w)", "@ ")
        .replace("://", ": //");
  }

  /**
   * Returns Ralph's part of the description, between two marks.
   *
   * @param gates the gates as text
   * @param run the iterations, the time and the cost as text
   */
  String section(StopReason reason, List<String> gates, String run) {
    boolean isComplete = reason == StopReason.COMPLETED;
    StringBuilder text = new StringBuilder(begin()).append('\n');
    text.append("The session ").append(code(session)).append(" is ");
    text.append(
        isComplete ? "complete" : "not complete: " + reason.name().toLowerCase(Locale.ROOT));
    text.append(isComplete && !gates.isEmpty() ? "; all gates passed.\n" : ".\n");
    addTasks(text);
    if (!gates.isEmpty()) {
      text.append("\n### Gates\n\n");
      gates.forEach(gate -> text.append("- ").append(code(withoutSecrets(gate))).append('\n'));
    }
    text.append("\n### Run\n\n").append(run).append('\n');
    List<Long> closed = closed();
    text.append(closed.isEmpty() ? "" : "\n");
    closed.forEach(number -> text.append("Closes #").append(number).append('\n'));
    return text.append(end()).append('\n').toString();
  }

  private void addTasks(StringBuilder text) {
    int shown = 0;
    int more = 0;
    for (Task task : tasks) {
      if (task.status() == Task.Status.CANCELLED) {
        continue;
      }
      if (shown == MOST_TASKS) {
        more++;
        continue;
      }
      text.append(shown++ == 0 ? "\n### Tasks\n\n" : "");
      text.append(isSettled(task) ? "- [x] t" : "- [ ] t").append(task.number()).append(' ');
      text.append(code(firstLine(task)));
      if (task.status() == Task.Status.BLOCKED) {
        String why = task.reason();
        text.append(" (blocked")
            .append(why == null ? "" : ": " + code(withoutSecrets(why)))
            .append(')');
      }
      text.append('\n');
    }
    text.append(more == 0 ? "" : "\nand " + more + " more\n");
  }

  private String firstLine(Task task) {
    return redactor.redact(TaskWords.firstLine(task, LONGEST_LINE));
  }

  private String withoutSecrets(String text) {
    return redactor.redact(TextExcerpt.firstLine(text, LONGEST_LINE));
  }

  private List<Long> closed() {
    List<Long> closed = new ArrayList<>();
    for (Task task : tasks) {
      long number = IssueTasks.number(repository, task);
      if (number > 0 && isSettled(task)) {
        closed.add(number);
      }
    }
    return closed;
  }

  private static boolean isSettled(Task task) {
    return task.status() == Task.Status.COMPLETED && task.isSettled();
  }

  /** Returns a text as inline code of Markdown, in which GitHub finds no names and issues. */
  static String code(String text) {
    String line =
        TextExcerpt.cut(SafeText.line(TextExcerpt.firstLine(text, LONGEST_TASK)), LONGEST_TASK);
    int longest = 0;
    int run = 0;
    for (int i = 0; i < line.length(); i++) {
      run = line.charAt(i) == '`' ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    String fence = "`".repeat(longest + 1);
    String blank = longest == 0 ? "" : " ";
    return line.isEmpty() ? "" : fence + blank + line + blank + fence;
  }

  /**
   * Returns a description with a new section of Ralph, or null if the marks of this session are
   * missing, because a person removed them or opened the pull request.
   */
  @Nullable String replaced(String description, String section) {
    int from = description.indexOf(begin());
    int to = description.lastIndexOf(end());
    if (from < 0 || to < from) {
      return null;
    }
    String after = description.substring(to + end().length());
    return description.substring(0, from) + section.stripTrailing() + after;
  }

  private String begin() {
    return "<!-- ralph " + mark + " -->";
  }

  private String end() {
    return "<!-- /ralph " + mark + " -->";
  }
}
