package dev.ralph.cli.progress;

import dev.ralph.LoopEvent;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The present activity of a loop in a single line, derived from its events. Not thread-safe.
 *
 * <pre>
 * #12, 2 of 5  1m05s  3 of 7 tasks done  12.3k tokens, $0.12  t4 Write the login form
 * #12, 9 of 50  8m21s  3 of 7 tasks done  12.3k tokens, $0.12  1: t4  2: t5  4: t7
 * </pre>
 */
final class BuildStatus {

  /** The maximum length of a text, more than a line has room for. */
  private static final int MOST_OF_A_TEXT = 500;

  /** The time after which a silent agent may be blocked. */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final int limit;
  private final boolean quiet;
  private final Instant began;
  private int iteration;
  private int iterations;
  private Instant since;
  private Instant heard;
  private String said = "";

  /** The activity outside an iteration, such as a gate or a wait; or an empty text. */
  private String instead = "";

  private Usage before = Usage.NONE;

  /** The usage of running iterations by agent; 0 is a single agent. */
  private final Map<Integer, Usage> current = new TreeMap<>();

  /** The assignments of a team by agent: the id of a task, or an empty text. */
  private final Map<Integer, String> given = new TreeMap<>();

  /**
   * @param limit the iteration limit of this run, or 0 for no limit
   * @param quiet whether the agent's output is hidden elsewhere
   */
  BuildStatus(int limit, boolean quiet, Instant now) {
    this.limit = limit;
    this.quiet = quiet;
    this.began = now;
    this.since = now;
    this.heard = now;
  }

  /** Records an event. */
  void note(LoopEvent event) {
    Instant now = event.time();
    switch (event.type()) {
      case ITERATION_STARTED -> {
        iteration = event.iteration();
        iterations++;
        begin(now, "");
        said = "";
        if (event.agent() > 0) {
          String task = event instanceof LoopEvent.IterationStarted started ? started.task() : null;
          given.put(event.agent(), task == null ? "" : task);
        }
      }
      case OUTPUT, NOTICE -> {
        heard = now;
        said = lastLine(event.message());
      }
      case GATE_STARTED, WAITING -> begin(now, firstLine(event.message()));
      case USAGE -> current.put(event.agent(), ((LoopEvent.Used) event).usage());
      case ITERATION_ENDED -> {
        before = before.plus(((LoopEvent.IterationEnded) event).usage());
        current.remove(event.agent());
        given.remove(event.agent());
        between(now);
      }
      case GATE -> between(now);
      default -> {}
    }
  }

  private void between(Instant now) {
    begin(now, given.isEmpty() ? "between iterations" : "");
  }

  private void begin(Instant now, String what) {
    since = now;
    heard = now;
    instead = what;
  }

  /** Returns the duration of the run so far. */
  Duration elapsed(Instant now) {
    return Duration.between(began, now);
  }

  /** Returns the number of iterations begun in this run. */
  int iterations() {
    return iterations;
  }

  /** Returns the known usage of this run. */
  Usage usage() {
    return current.values().stream().reduce(before, Usage::plus);
  }

  /**
   * Returns the line without control characters.
   *
   * @param done the number of completed tasks as text, or an empty text
   * @param stopping whether the loop ends after this iteration
   */
  String line(Instant now, @Nullable TaskList tasks, String done, boolean stopping) {
    List<String> parts = new ArrayList<>();
    if (iterations > 0) {
      parts.add("#" + iteration + (limit > 0 ? ", " + iterations + " of " + limit : ""));
    }
    parts.add(Durations.seconds(Duration.between(given.isEmpty() ? since : began, now)));
    parts.add(stopping ? "stop requested" : "");
    parts.add(done);
    if (!usage().equals(Usage.NONE)) {
      parts.add(shortForm(usage()));
    }
    parts.add(doing(now, tasks));
    parts.removeIf(String::isEmpty);
    return String.join("  ", parts);
  }

  private String doing(Instant now, @Nullable TaskList tasks) {
    if (!given.isEmpty()) {
      List<String> words = new ArrayList<>();
      given.forEach((agent, task) -> words.add(agent + ": " + name(task, tasks)));
      words.add(
          instead.isEmpty()
              ? ""
              : instead + ", " + Durations.seconds(Duration.between(since, now)));
      words.removeIf(String::isEmpty);
      return String.join("  ", words);
    }
    if (!instead.isEmpty()) {
      return instead;
    }
    if (iterations == 0) {
      return "starting";
    }
    Duration silent = Duration.between(heard, now);
    String silence =
        silent.compareTo(SILENCE) < 0 ? "" : "silent for " + Durations.seconds(silent) + "  ";
    if (quiet && !said.isEmpty()) {
      return silence + said;
    }
    TaskList begun = tasks == null ? null : tasks.of(Task.Status.IN_PROGRESS);
    if (begun != null && !begun.isEmpty()) {
      Task task = begun.get(0);
      return silence + "t" + task.number() + " " + firstLine(task.beginning(MOST_OF_A_TEXT));
    }
    return silence.stripTrailing();
  }

  /** Returns the name of an agent's task, or a placeholder for an agent without a task. */
  private static String name(String id, @Nullable TaskList tasks) {
    if (id.isEmpty()) {
      return "alone";
    }
    String reference = reference(id, tasks);
    return reference.isEmpty() ? "at work" : reference;
  }

  /** Returns the number of a task, such as {@code t4}; empty if unknown. */
  static String reference(@Nullable String id, @Nullable TaskList tasks) {
    for (Task task : tasks == null ? List.<Task>of() : tasks) {
      if (task.id().equals(id)) {
        return "t" + task.number();
      }
    }
    return "";
  }

  /** Returns the number of completed tasks as text; empty without tasks. */
  static String tasks(@Nullable TaskList tasks) {
    if (tasks == null || tasks.isEmpty()) {
      return "";
    }
    int blocked = tasks.of(Task.Status.BLOCKED).size();
    int cancelled = tasks.of(Task.Status.CANCELLED).size();
    return tasks.of(Task.Status.COMPLETED).size()
        + " of "
        + tasks.size()
        + " tasks done"
        + (blocked == 0 ? "" : ", " + blocked + " blocked")
        + (cancelled == 0 ? "" : ", " + cancelled + " cancelled");
  }

  /** Returns a usage with tokens in thousands or millions, and the cost if known. */
  static String shortForm(Usage usage) {
    long tokens = usage.totalTokens();
    String count =
        tokens < 1_000
            ? String.valueOf(tokens)
            : tokens < 1_000_000 ? tenths(tokens, 1_000) + "k" : tenths(tokens, 1_000_000) + "M";
    return usage.equals(Usage.UNKNOWN) ? "usage not reported" : usage.inWords(count + " tokens");
  }

  private static String tenths(long number, long unit) {
    return number / unit + "." + number % unit * 10 / unit;
  }

  private static String firstLine(String text) {
    return oneLine(text.lines().findFirst().orElse(""));
  }

  private static String lastLine(String text) {
    String last = "";
    for (String line : text.split("\n", -1)) {
      last = line.isBlank() ? last : line;
    }
    return oneLine(SafeText.printed(last)).strip();
  }

  private static String oneLine(String text) {
    return SafeText.line(text.replace('\t', ' '));
  }
}
