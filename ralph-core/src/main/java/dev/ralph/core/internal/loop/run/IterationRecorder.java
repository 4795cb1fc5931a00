package dev.ralph.core.internal.loop.run;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.domain.ProcessIdentity;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the start and the end of iterations to the log, and notifies the listeners. An end that
 * the store refuses is kept until it can be written.
 */
public final class IterationRecorder {

  /** An ended iteration whose end is not written yet. */
  private record Unwritten(int number, AgentOutcome outcome, Duration took) {}

  private final LiveSession session;
  private final LedgerIterationLog iterations;
  private final ProcessIdentity process;
  private final LoopEvents events;
  private final IntConsumer beforeEnd;
  private @Nullable Unwritten unwritten;

  /** The iteration whose start may have been written; 0 for none. */
  private int inDoubt;

  /**
   * @param process the process of the iterations
   * @param beforeEnd called with an iteration's number before its end is written
   */
  IterationRecorder(
      LiveSession session, ProcessIdentity process, LoopEvents events, IntConsumer beforeEnd) {
    this.process = process;
    this.session = session;
    this.iterations = session.iterations();
    this.events = events;
    this.beforeEnd = beforeEnd;
  }

  /** Returns a recorder with the listeners of one of several agents. */
  IterationRecorder of(LoopEvents told) {
    return new IterationRecorder(session, process, told, iteration -> {});
  }

  /** Ends the iterations that killed loops left open. */
  public void closeDangling() {
    for (Iteration iteration : iterations.list()) {
      if (iteration.status() == Iteration.Status.RUNNING) {
        complete(
            iteration.number(),
            Iteration.Status.INTERRUPTED,
            "cut off with its loop",
            iteration.usage().plus(Usage.UNKNOWN));
        events.notice(
            iteration.number(),
            "iteration " + iteration.number() + " was cut off in an earlier run");
      }
    }
  }

  /**
   * Writes the start of the next iteration; returns the iteration's number.
   *
   * @param role the name of the role; null if the loop has only one role
   * @param agent the number of the agent among several, from 1; 0 if the loop has only one
   * @param task the id of the agent's task, or null
   */
  public int begin(@Nullable String role, int agent, @Nullable String task) {
    int last = iterations.last().map(Iteration::number).orElse(0);
    if (inDoubt != last || last == 0) {
      inDoubt = last + 1;
      last = iterations.start(role, process, agent, task).number();
    }
    inDoubt = 0;
    return last;
  }

  /** Keeps the outcome of an iteration, to be written. */
  public void ended(int number, AgentOutcome outcome, Duration took) {
    unwritten = new Unwritten(number, outcome, took);
  }

  /**
   * Writes the end of the last iteration, unless it is written.
   *
   * @return whether the end was written now
   */
  boolean write() {
    Unwritten ended = unwritten;
    if (ended == null) {
      return false;
    }
    AgentOutcome outcome = ended.outcome();
    beforeEnd.accept(ended.number());
    complete(ended.number(), outcome.status(), outcome.report(), outcome.usage());
    unwritten = null;
    events.iterationEnded(ended.number(), outcome, ended.took());
    return true;
  }

  /**
   * Releases the claims and messages of the iteration's agents, then writes its end. No prompt is
   * rendered between the two.
   */
  private void complete(int number, Iteration.Status status, @Nullable String said, Usage used) {
    session.tasks().endIteration(number);
    session.inbox().endIteration(number, status == Iteration.Status.SUCCESS);
    // Redact before cutting, because a cut key cannot be recognised.
    String kept = said == null ? null : LogText.summary(session.redacted(said));
    iterations.complete(number, status, kept, used);
  }
}
