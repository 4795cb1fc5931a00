package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.core.internal.process.ProcessMark;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * Runs an agent once, on a thread of its own, within its time. When this returns, the agent has
 * ended and, if it is a process, nothing that got away from it runs; or it is known to have been
 * abandoned.
 */
final class AgentRunner {

  private static final System.Logger LOG = System.getLogger(AgentRunner.class.getPackageName());

  /**
   * What an agent has on top of its grace: killing the processes that did not end within it takes a
   * moment too.
   */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  /** The agent reads its deadline on the clock of the day, the loop on one that never jumps. */
  private static final Duration CLOCK_TOLERANCE = Duration.ofMillis(5);

  private final Agent agent;
  private final ProcessMark mark;
  private final Cancellation cancellation;
  @Nullable private volatile Worker<AgentResult> running;

  AgentRunner(Agent agent, ProcessMark mark, Cancellation cancellation) {
    this.agent = agent;
    this.mark = mark;
    this.cancellation = cancellation;
  }

  /** Returns whether the current thread is the one that the agent runs on. */
  boolean isCurrentThread() {
    Worker<AgentResult> worker = running;
    return worker != null && worker.isCurrentThread();
  }

  /** Returns whether an agent was told to end and had not when waiting for it ended. */
  boolean hasLeftBehind() {
    return running != null;
  }

  /** Runs what is to follow once the agent that was left behind has ended. */
  void whenEnded(Runnable next) {
    Objects.requireNonNull(running).whenDone(next);
  }

  /**
   * Runs the agent.
   *
   * @param tick called about every second meanwhile
   */
  AgentOutcome run(LoopTurn turn, String threadName, TimeBox limit, Runnable tick) {
    Worker<AgentResult> worker = new Worker<>(threadName, () -> agent.run(turn));
    if (cancellation.isRequested()) {
      turn.close();
      return AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, true);
    }
    // Known before it starts: the first thing that an agent does may be to close its loop.
    running = worker;
    worker.start();
    Worker.Cause cause = Worker.Cause.CANCELLED;
    boolean ended;
    try {
      cause = worker.await(limit, cancellation, turn.overspending(), tick);
    } finally {
      ended = cause == Worker.Cause.DONE || cutOff(worker, turn);
      turn.close();
      if (agent.needsTools() || cause != Worker.Cause.DONE) {
        // An agent within the program can wait for the end of the loop: a look at every process of
        // the machine costs more than many such an agent.
        mark.endOrphans(turn.grace());
      }
      if (ended) {
        running = null;
      }
    }
    if (cause == Worker.Cause.DONE && isNearlyUp(limit) && isFailure(worker.value())) {
      // It kept the clock itself, and was a moment quicker.
      cause = Worker.Cause.TIMEOUT;
    }
    return outcome(worker, turn, cause, ended).orUsed(turn.used());
  }

  /** Makes the agent end; returns whether it is known that it has. */
  private boolean cutOff(Worker<AgentResult> worker, LoopTurn turn) {
    try {
      return end(worker, turn);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "the agent could not be made to end; it is left behind", e);
      return false;
    }
  }

  private boolean end(Worker<AgentResult> worker, LoopTurn turn) {
    turn.cancel();
    worker.interrupt();
    if (worker.awaitEnd(turn.grace().plus(MARGIN))) {
      return true;
    }
    // Whatever it waits for is most likely a process of its own.
    mark.endAll(Duration.ZERO);
    if (worker.awaitEnd(MARGIN)) {
      return true;
    }
    LOG.log(
        Level.WARNING,
        "the agent in iteration "
            + turn.iteration()
            + " was interrupted and has not ended; its thread is left behind");
    return false;
  }

  private static boolean isNearlyUp(TimeBox limit) {
    return limit.isLimited() && limit.left().compareTo(CLOCK_TOLERANCE) < 0;
  }

  private static boolean isFailure(@Nullable AgentResult result) {
    return result == null || result.outcome() == AgentResult.Outcome.FAILURE;
  }

  private AgentOutcome outcome(
      Worker<AgentResult> worker, LoopTurn turn, Worker.Cause cause, boolean ended) {
    AgentResult result = worker.value();
    switch (cause) {
      case DONE:
        return result == null ? AgentOutcome.broken(worker.failure()) : AgentOutcome.of(result);
      case TIMEOUT:
        return AgentOutcome.cutOff(Iteration.Status.TIMEOUT, result, ended);
      default:
        return cancellation.isRequested() || !turn.overspending().isRequested()
            ? AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended)
            : turn.overspent(AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended));
    }
  }
}
