package dev.ralph.core.internal.loop.run;

import static dev.ralph.LoopEvent.Type.COMPLETION_REFUSED;
import static dev.ralph.LoopEvent.Type.GATE;
import static dev.ralph.LoopEvent.Type.GATE_STARTED;
import static dev.ralph.LoopEvent.Type.ITERATION_ENDED;
import static dev.ralph.LoopEvent.Type.ITERATION_STARTED;
import static dev.ralph.LoopEvent.Type.LOOP_ENDED;
import static dev.ralph.LoopEvent.Type.LOOP_STARTED;
import static dev.ralph.LoopEvent.Type.MERGED;
import static dev.ralph.LoopEvent.Type.MESSAGE_READ;
import static dev.ralph.LoopEvent.Type.NOTICE;
import static dev.ralph.LoopEvent.Type.ORPHANS_ENDED;
import static dev.ralph.LoopEvent.Type.OUTPUT;
import static dev.ralph.LoopEvent.Type.QUESTION;
import static dev.ralph.LoopEvent.Type.SENT_BACK;
import static dev.ralph.LoopEvent.Type.USAGE;
import static dev.ralph.LoopEvent.Type.WAITING;

import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Task;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.core.internal.gate.GateResult;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.WaitNotice;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Emits the events of a run, or of one of its agents. Creates the message for people and the JSON
 * of each event from its data.
 */
public final class LoopEvents {

  /** The number of characters shown of a question; the question itself has the rest. */
  private static final int SHOWN = 1_500;

  /** The number of characters shown of a commit's id. */
  private static final int SHORT_ID = 10;

  private final String session;
  private final int agent;
  private final Listeners listeners;

  /**
   * @param session the name of the loop's session
   * @param agent the number of the agent among several, from 1; 0 for the whole run
   */
  LoopEvents(String session, int agent, Listeners listeners) {
    this.session = session;
    this.agent = agent;
    this.listeners = listeners;
  }

  /** Returns the events of one agent for the same listeners. */
  LoopEvents of(int number) {
    return new LoopEvents(session, number, listeners);
  }

  private void emit(
      LoopEvent.Type type,
      int iteration,
      String message,
      Meta data,
      UnaryOperator<LoopEvent> event) {
    String text = LogText.unicode(message);
    listeners.emit(
        time -> event.apply(LoopEvent.of(type, session, time, iteration, agent, text, data)));
  }

  private void emit(LoopEvent.Type type, int iteration, String message, Meta data) {
    emit(type, iteration, message, data, head -> head);
  }

  public void loopStarted() {
    emit(LOOP_STARTED, 0, "loop started on session " + session, Meta.empty());
  }

  public void orphansEnded(List<Long> pids) {
    String all = String.join(", ", pids.stream().map(String::valueOf).toList());
    emit(ORPHANS_ENDED, 0, "ended processes of an earlier run: " + all, Meta.of("pids", pids));
  }

  /**
   * @param word the name of the role, or null if the loop has only one role
   * @param task the id of the assigned task, or null
   */
  public void iterationStarted(
      int iteration, Iteration.Role role, @Nullable String word, @Nullable String task) {
    emit(
        ITERATION_STARTED,
        iteration,
        "iteration " + iteration + " started",
        Meta.empty().with("role", word).with("task", task),
        head -> new LoopEvent.IterationStarted(head, role, task));
  }

  public void output(int iteration, String text) {
    emit(OUTPUT, iteration, text, Meta.empty());
  }

  public void notice(int iteration, String text) {
    emit(NOTICE, iteration, text, Meta.empty());
  }

  public void used(int iteration, Usage soFar) {
    Meta data = Meta.of("usage", soFar.json());
    String message = "used so far: " + soFar;
    emit(USAGE, iteration, message, data, head -> new LoopEvent.Used(head, soFar));
  }

  void iterationEnded(int iteration, AgentOutcome outcome, Duration took) {
    Iteration.Status status = outcome.status();
    String summary = outcome.summary();
    Usage used = outcome.usage();
    emit(
        ITERATION_ENDED,
        iteration,
        "iteration "
            + iteration
            + " ended: "
            + status.word()
            + (summary == null ? "" : ", " + LogText.firstLine(summary)),
        Meta.of("status", status.word())
            .with("summary", summary)
            .with("duration_ms", took.toMillis())
            .with("usage", json(used)),
        head -> new LoopEvent.IterationEnded(head, status, summary, took, used));
  }

  private static @Nullable Meta json(Usage usage) {
    return usage.equals(Usage.NONE) ? null : usage.json();
  }

  public void waiting(int iteration, WaitNotice notice) {
    Duration atMost = notice.atMost();
    List<String> open = notice.open();
    emit(
        WAITING,
        iteration,
        notice.message(),
        Meta.of("reason", notice.reason().name().toLowerCase(Locale.ROOT))
            .with("millis", atMost == null ? null : atMost.toMillis())
            .with("open", open.isEmpty() ? null : open),
        head -> new LoopEvent.Waiting(head, notice.reason(), atMost, open));
  }

  void asked(Question question) {
    boolean isLong = question.length() > SHOWN;
    String beginning = question.beginning(SHOWN);
    String ref = "q" + question.number();
    emit(
        QUESTION,
        question.iteration(),
        "question " + ref + ": " + beginning + (isLong ? "…" : ""),
        Meta.of("ref", ref)
            .with("id", question.id())
            .with("text", beginning)
            .with("length", isLong ? question.length() : null)
            .with("by", question.by()),
        head -> new LoopEvent.Asked(head, question));
  }

  void messageRead(int iteration, Message message) {
    String ref = "m" + message.number();
    Meta data = Meta.of("ref", ref).with("id", message.id());
    emit(MESSAGE_READ, iteration, ref + " was read by the agent", data);
  }

  public void gateStarted(int iteration, Gate gate) {
    String message = "gate: " + gate.name();
    Meta data = data(gate);
    emit(GATE_STARTED, iteration, message, data, head -> new LoopEvent.GateStarted(head, gate));
  }

  public void gateEnded(int iteration, GateResult result) {
    Verdict verdict = result.verdict();
    String reason = verdict.reason();
    emit(
        GATE,
        iteration,
        result.summary(),
        data(result.gate())
            .with("passed", verdict.isPassed())
            .with("exit_code", verdict.exitCode())
            .with("reason", reason.isEmpty() ? null : LogText.unicode(reason)),
        head -> new LoopEvent.GateEnded(head, result.gate(), verdict));
  }

  private static Meta data(Gate gate) {
    Meta name = Meta.of("name", LogText.unicode(gate.name()));
    return gate instanceof Gate.Command command
        ? name.with("command", command.command().stream().map(LogText::unicode).toList())
        : name;
  }

  /**
   * @param summary the first lines of the reasons
   */
  public void completionRefused(int iteration, String summary, List<String> reasons) {
    emit(
        COMPLETION_REFUSED,
        iteration,
        "completion refused: " + summary,
        Meta.of("reasons", reasons),
        head -> new LoopEvent.CompletionRefused(head, reasons));
  }

  /**
   * @param task the task, or null for the work of an agent without a task
   * @param commit the commit on the session's branch, or null if there was nothing to merge
   */
  public void merged(@Nullable Task task, @Nullable String commit) {
    String id = task == null ? "" : task.id();
    String result =
        commit == null
            ? " is done with no changes; nothing to merge"
            : " is merged as " + commit.substring(0, Math.min(SHORT_ID, commit.length()));
    Meta data = Meta.of("task", id).with("commit", commit);
    emit(MERGED, 0, name(task) + result, data);
  }

  private static String name(@Nullable Task task) {
    return task == null ? "the work without a task" : "t" + task.number();
  }

  /** Emits the return of the work of an agent without a task. */
  public void sentBack(String reason) {
    String text = LogText.unicode(reason);
    sentBack(null, text, "", Meta.of("task", "").with("reason", text));
  }

  /**
   * Emits the return of a completed task.
   *
   * @param task the task after its return
   * @param before the number of failed attempts before the return
   */
  public void sentBack(Task task, int before) {
    String reason = LogText.unicode(String.valueOf(task.reason()));
    int limit = task.attemptLimit();
    Meta data =
        Meta.of("task", task.id())
            .with("reason", reason)
            .with("attempt", task.attempts())
            .with("limit", limit == 0 ? null : limit)
            .with("blocked", task.isOutOfAttempts() ? true : null);
    sentBack(task, reason, attempts(task, before), data);
  }

  private static String attempts(Task task, int before) {
    if (task.isOutOfAttempts()) {
      return "; the task is blocked after " + task.attempts() + " failed attempts";
    }
    if (task.attempts() == before) {
      return "; not counted as an attempt";
    }
    int limit = task.attemptLimit();
    return "; attempt " + task.attempts() + (limit == 0 ? "" : " of " + limit) + " failed";
  }

  private void sentBack(@Nullable Task task, String reason, String attempts, Meta data) {
    emit(
        SENT_BACK,
        0,
        name(task) + " was not merged: " + LogText.firstLine(reason) + attempts,
        data,
        head -> new LoopEvent.SentBack(head, task == null ? "" : task.id(), reason));
  }

  public void loopEnded(int iteration, LoopResult result) {
    String detail = result.detail();
    emit(
        LOOP_ENDED,
        iteration,
        "loop ended: " + result,
        Meta.of("reason", result.reason().word())
            .with("detail", detail == null ? null : LogText.unicode(detail))
            .with("iterations", result.iterations())
            .with("usage", json(result.usage())),
        head -> new LoopEvent.LoopEnded(head, result));
  }
}
