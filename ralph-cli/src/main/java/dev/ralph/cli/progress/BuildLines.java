package dev.ralph.cli.progress;

import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.StopReason;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.cli.call.ExitCode;
import dev.ralph.cli.inbox.QuestionForm;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.Durations;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.text.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Renders the events of a run as lines. Reads no store, no clock and no terminal. Not thread-safe.
 */
final class BuildLines {

  /**
   * The values of a run.
   *
   * @param where the options that select the session in a command line
   * @param header the lines for a person at the start of the loop
   * @param goOn a hint how to continue the session, or an empty text
   * @param isTerminal true for a person who reads the lines
   */
  record Run(
      String session,
      String where,
      List<String> header,
      String goOn,
      boolean isTerminal,
      Style style) {}

  /**
   * The tasks at an event.
   *
   * @param list the tasks, or null if unknown
   * @param done the number of completed tasks of the total, as text
   * @param counts the numbers for the summary, or null if unknown
   */
  record Tasks(@Nullable TaskList list, String done, RunSummary.@Nullable Tasks counts) {

    /**
     * Counts tasks.
     *
     * @param unread the messages that prevent the end of the loop after the last task
     */
    static Tasks of(TaskList list, List<Message> unread) {
      String done = BuildStatus.tasks(list);
      if (!unread.isEmpty()) {
        String names =
            unread.stream().map(each -> "m" + each.number()).collect(Collectors.joining(", "));
        done += (done.isEmpty() ? "" : ", ") + "unread: " + names;
      }
      return new Tasks(list, done, RunSummary.Tasks.of(list));
    }
  }

  /** The number of recent lines of the agent that the report of a failure need not repeat. */
  private static final int REMEMBERED = 100;

  /** The least duration of a gate that is shown. */
  private static final Duration LONG_STEP = Duration.ofSeconds(1);

  private final Run run;
  private final BuildStatus status;
  private final Deque<String> printed = new ArrayDeque<>();

  /** The start times of running gates by agent. */
  private final Map<Integer, Instant> gates = new HashMap<>();

  private Duration lastGate = Duration.ZERO;
  private @Nullable String lastSummary;
  private List<String> lastRefusal = List.of();
  private boolean lastFailed;
  private int lastIteration;
  private boolean hasBegun;

  /** Set after a refused completion, until the next iteration. */
  private boolean isRefused;

  /**
   * @param status the state of the run after each event
   */
  BuildLines(Run run, BuildStatus status) {
    this.run = run;
    this.status = status;
  }

  /** Records an event, which may be shown elsewhere. */
  void note(LoopEvent event) {
    status.note(event);
    switch (event.type()) {
      case ITERATION_STARTED -> isRefused = false;
      case COMPLETION_REFUSED -> isRefused = true;
      case ITERATION_ENDED -> {
        lastFailed = Hooks.isFailure(event);
        lastIteration = event.iteration();
      }
      case GATE_STARTED -> gates.put(event.agent(), event.time());
      case GATE -> {
        Instant began = gates.remove(event.agent());
        lastGate = began == null ? Duration.ZERO : Duration.between(began, event.time());
      }
      default -> {}
    }
  }

  /** Returns whether the newest iteration of this run failed. */
  boolean lastFailed() {
    return lastFailed;
  }

  /** Returns whether the newest event permits a completion. */
  boolean mayBeComplete() {
    return !isRefused && !lastFailed;
  }

  /**
   * Returns the lines of a noted event except the start and the end of a loop; empty if the event
   * is not shown.
   */
  String of(LoopEvent event, Tasks tasks) {
    String message = SafeText.text(event.message());
    return switch (event.type()) {
      case ITERATION_STARTED -> iterationStarted((LoopEvent.IterationStarted) event, tasks);
      case OUTPUT -> output(event);
      case ITERATION_ENDED -> iterationEnded((LoopEvent.IterationEnded) event, tasks);
      case WAITING -> {
        List<String> open = ((LoopEvent.Waiting) event).questions();
        yield open.isEmpty() ? message : answerable(message, open.get(0));
      }
      case QUESTION -> answerable(message, "q" + ((LoopEvent.Asked) event).question().number());
      case GATE -> ((LoopEvent.GateEnded) event).verdict().isPassed() ? message + gateTime() : "";
      case COMPLETION_REFUSED -> refused(((LoopEvent.CompletionRefused) event).reasons(), message);
      case NOTICE, ORPHANS_ENDED, MESSAGE_READ, MERGED -> by(event) + message;
      case SENT_BACK -> message + rest(((LoopEvent.SentBack) event).reason());
      case USAGE, GATE_STARTED, LOOP_STARTED, LOOP_ENDED -> "";
    };
  }

  /** Returns the prefix with the agent's number, or an empty text for a single agent. */
  private static String by(LoopEvent event) {
    return event.agent() == 0 ? "" : "agent " + event.agent() + ": ";
  }

  /** Returns all lines of a text except the first. */
  private static String rest(String text) {
    StringBuilder rest = new StringBuilder();
    text.lines().skip(1).forEach(line -> rest.append("\n  ").append(SafeText.printed(line)));
    return rest.toString();
  }

  private String answerable(String message, String question) {
    return message + " (" + QuestionForm.command(run.where(), question) + ")";
  }

  private String gateTime() {
    boolean isShown = run.isTerminal() && lastGate.compareTo(LONG_STEP) >= 0;
    return isShown ? faint(Durations.format(lastGate)) : "";
  }

  /**
   * Returns the lines at the start of a loop. The header appears once.
   *
   * @param story the heading of a story, or null without a change
   */
  String started(@Nullable String story) {
    String text = run.header().isEmpty() || hasBegun ? "" : String.join("\n", run.header()) + "\n";
    hasBegun = true;
    if (story == null) {
      return text;
    }
    return text + (text.isEmpty() ? "" : "\n") + run.style().heading(story);
  }

  private String iterationStarted(LoopEvent.IterationStarted event, Tasks tasks) {
    if (event.agent() == 0) {
      printed.clear();
    }
    String task = BuildStatus.reference(event.task(), tasks.list());
    String agent = event.agent() == 0 ? "" : ", agent " + event.agent();
    String role = event.role() == Iteration.Role.BUILD ? "" : " (" + event.role().word() + ")";
    String heading =
        run.style()
            .heading(
                run.session()
                    + " - Iteration #"
                    + event.iteration()
                    + role
                    + agent
                    + (agent.isEmpty() || task.isEmpty() ? "" : " (" + task + ")")
                    + "...");
    return run.isTerminal()
        ? heading + faint(Durations.format(status.elapsed(event.time())), tasks.done())
        : heading;
  }

  private String output(LoopEvent event) {
    String before = event.agent() == 0 ? "  " : "  " + event.agent() + "| ";
    StringBuilder lines = new StringBuilder();
    for (String line : event.message().split("\n", -1)) {
      String shown = SafeText.printed(line);
      lines.append(lines.length() == 0 ? "" : "\n").append(before).append(shown);
      printed.addLast(shown.strip());
    }
    while (printed.size() > REMEMBERED) {
      printed.removeFirst();
    }
    return lines.toString();
  }

  private String iterationEnded(LoopEvent.IterationEnded event, Tasks tasks) {
    lastSummary = event.summary();
    String why = event.status() == Iteration.Status.SUCCESS ? "" : unprinted(lastSummary);
    String because = why.isEmpty() ? "" : ": " + why;
    String text =
        by(event)
            + switch (event.status()) {
              case SUCCESS -> run.style().good("Done!");
              case FAILURE -> run.style().bad("Failed") + because;
              case TIMEOUT -> run.style().bad("Timed out") + because;
              case INTERRUPTED -> "Interrupted" + because;
              case RATE_LIMITED -> "Rate limited" + because;
              case RUNNING -> "";
            };
    if (!run.isTerminal()) {
      return text + "\n";
    }
    Usage usage = event.usage();
    String used = usage.equals(Usage.NONE) ? "" : BuildStatus.shortForm(usage);
    return text + faint(Durations.format(event.took()), tasks.done(), used) + "\n";
  }

  /** Returns a summary without the lines that the agent printed just before. */
  private String unprinted(@Nullable String summary) {
    if (summary == null) {
      return "";
    }
    String[] lines = summary.split("\n", -1);
    StringBuilder rest = new StringBuilder();
    for (String line : List.of(lines).subList(1, lines.length)) {
      String shown = SafeText.printed(line);
      if (!isPrinted(shown.strip())) {
        rest.append("\n  ").append(shown);
      }
    }
    String first = SafeText.printed(lines[0]);
    return rest.isEmpty() ? first.replace(LogText.LAST_LINES, "") : first + rest;
  }

  private boolean isPrinted(String line) {
    if (line.endsWith("…")) {
      String beginning = line.substring(0, line.length() - 1);
      return printed.stream().anyMatch(each -> each.startsWith(beginning));
    }
    return printed.contains(line);
  }

  /**
   * Returns a refusal with the output of the gates, unless the same output was shown just before.
   */
  private String refused(List<String> reasons, String message) {
    StringBuilder text = new StringBuilder(message);
    if (!reasons.equals(lastRefusal)) {
      reasons.forEach(reason -> text.append(rest(reason)));
    }
    lastRefusal = List.copyOf(reasons);
    return text.toString();
  }

  /**
   * Returns the lines at the end of a run.
   *
   * @param next the next commands for a person
   */
  String ended(LoopResult result, RunSummary summary, List<String> next) {
    String line = run.session() + ": " + reason(result).replace("\n", "\n  ");
    if (!run.isTerminal()) {
      // The last line of a pipe is the end, as programs that read only the last line expect.
      return (summary.iterations() == 0 ? "" : run.session() + ": " + summary.line() + "\n")
          + line
          + (next.isEmpty() ? "" : "; " + String.join("; ", next));
    }
    StringBuilder text = new StringBuilder(run.style().heading(line));
    summary.lines().forEach(each -> text.append("\n  ").append(each));
    next.forEach(each -> text.append("\n  ").append(each));
    return text.toString();
  }

  /**
   * Returns the end without a failure that the end of an iteration has already reported. If the
   * store failed, the error of the command reports the cause.
   */
  private String reason(LoopResult result) {
    String message = SafeText.text("loop ended: " + result);
    String told = result.reason() == StopReason.STORE_FAILED ? result.detail() : lastSummary;
    String known = told == null || result.detail() == null ? "" : ": " + SafeText.text(told);
    return message.endsWith(known)
        ? message.substring(0, message.length() - known.length())
        : message;
  }

  /**
   * Returns the next commands for a person.
   *
   * @param work the result and the commands of the branch
   * @param isHidden true if the output of agents is not shown
   * @param isUndeclared true if all work is done, but nobody has declared completion
   */
  List<String> next(StopReason reason, List<String> work, boolean isHidden, boolean isUndeclared) {
    List<String> next = new ArrayList<>(work);
    if (run.goOn().isEmpty() || reason == StopReason.COMPLETED) {
      return next;
    }
    if (reason == StopReason.MAX_ITERATIONS || reason == StopReason.STOPPED) {
      // Only for these reasons the exit code is not obvious.
      next.add("exit code " + ExitCode.of(reason, lastFailed));
    }
    if (lastFailed && isHidden) {
      next.add("to see why: ralph iterations" + run.where() + " --transcript " + lastIteration);
    }
    if (reason == StopReason.STORE_FAILED) {
      next.add("to see why: ralph doctor");
    }
    if (isUndeclared) {
      // At the iteration limit the reason of the end already says so.
      next.add(
          (reason == StopReason.MAX_ITERATIONS
                  ? ""
                  : "all tasks are done, but nobody declared completion; ")
              + "to declare completion: ralph complete"
              + run.where());
    }
    next.add(run.goOn());
    return next;
  }

  private String faint(String... parts) {
    List<String> known = new ArrayList<>(List.of(parts));
    known.removeIf(String::isEmpty);
    return run.style().faint(" " + String.join(", ", known));
  }
}
