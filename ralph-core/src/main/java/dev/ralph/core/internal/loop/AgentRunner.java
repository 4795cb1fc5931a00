package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.internal.process.ProcessMark;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs an agent once, on another thread, within its time. When this returns or throws, the agent
 * has ended and, if it is a process, nothing that got away from it runs; or it is known to have
 * been abandoned.
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

  /** How long a thread of a host's executor may let an agent wait before somebody is told. */
  static final Duration TAKEN_UP_WITHIN = Duration.ofSeconds(10);

  private final ProcessMark mark;
  private final RunClaim claim;
  private final Cancellation cancellation;
  private final Time time;
  private volatile @Nullable CutOffWork<AgentResult> running;

  /**
   * @param claim on the session, without which no agent may work
   * @param time that the agent's limits are measured in
   */
  AgentRunner(ProcessMark mark, RunClaim claim, Cancellation cancellation, Time time) {
    this.mark = mark;
    this.claim = claim;
    this.cancellation = cancellation;
    this.time = time;
  }

  /** Returns whether the current thread is the one that the agent runs on. */
  boolean isCurrentThread() {
    CutOffWork<AgentResult> work = running;
    return work != null && work.isCurrentThread();
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
   * @throws Error if the agent throws one: that is no failure of an agent, but of the program
   */
  AgentOutcome run(Agent agent, LoopTurn turn, Executor executor, TimeBox limit, Runnable tick) {
    CutOffWork<AgentResult> work = new CutOffWork<>(executor, () -> agent.run(turn));
    if (cancellation.isRequested()) {
      turn.close();
      return AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, true);
    }
    // Known before it starts: the first thing that an agent does may be to close its loop.
    running = work;
    CutOffWork.Cause cause = CutOffWork.Cause.CANCELLED;
    Runnable overdue = onceOverdue(work, turn);
    Consumer<String> end =
        why -> {
          turn.endEarly(why);
          work.interrupt();
        };
    try {
      claim.guard(end);
      work.start();
      cause =
          work.await(
              time,
              limit,
              cancellation,
              turn.ending(),
              () -> {
                overdue.run();
                tick.run();
              });
    } catch (RejectedExecutionException e) {
      return AgentOutcome.of(AgentResult.fatal(notTaken(e)));
    } finally {
      claim.unguard(end);
      if (cause == CutOffWork.Cause.DONE || cutOff(work, turn)) {
        running = null;
      }
      cleanUp(agent, turn, cause);
    }
    if (work.failure() instanceof Error error) {
      throw error;
    }
    if (cause == CutOffWork.Cause.DONE && isNearlyUp(limit) && isFailure(work.value())) {
      // It kept the clock itself, and was a moment quicker.
      cause = CutOffWork.Cause.TIMEOUT;
    }
    return outcome(work, turn, cause).orUsed(turn.used());
  }

  private static String notTaken(RejectedExecutionException refused) {
    return "the loop's executor did not take the agent: "
        + Objects.requireNonNullElse(refused.getMessage(), "it gave no reason")
        + "; give the loop an executor that is open and has a thread free";
  }

  /** Tells once that no thread takes the agent up: the loop itself may be holding the only one. */
  private Runnable onceOverdue(CutOffWork<AgentResult> work, LoopTurn turn) {
    TimeBox patience = time.box(TAKEN_UP_WITHIN);
    AtomicBoolean told = new AtomicBoolean();
    return () -> {
      if (patience.isUp() && !work.hasBegun() && told.compareAndSet(false, true)) {
        String words =
            "no thread of the loop's executor has taken the agent up in "
                + LogText.time(TAKEN_UP_WITHIN)
                + "; it needs one besides the thread that steps the loop";
        LOG.log(Level.WARNING, words);
        turn.notice(words);
      }
    };
  }

  private void cleanUp(Agent agent, LoopTurn turn, CutOffWork.Cause cause) {
    try {
      turn.close();
    } finally {
      // A look at every process of the machine costs more than many an agent. One that is a command
      // has had it, and one within the program can wait for the end of the loop.
      boolean looked = agent instanceof CommandAgent || !agent.needsTools();
      if (!looked || cause != CutOffWork.Cause.DONE) {
        mark.endOrphans(turn.grace());
      }
    }
  }

  /** Makes the agent end; returns whether it is known that it has. */
  private boolean cutOff(CutOffWork<AgentResult> work, LoopTurn turn) {
    try {
      return end(work, turn);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "the agent could not be made to end; it is left behind", e);
      return false;
    }
  }

  private boolean end(CutOffWork<AgentResult> work, LoopTurn turn) {
    turn.cancel();
    work.interrupt();
    if (work.awaitEnd(turn.grace().plus(MARGIN))) {
      return true;
    }
    // Whatever it waits for is most likely a process of its own.
    mark.endAll(Duration.ZERO);
    if (work.awaitEnd(MARGIN)) {
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
      CutOffWork<AgentResult> work, LoopTurn turn, CutOffWork.Cause cause) {
    AgentResult result = work.value();
    boolean ended = running == null;
    switch (cause) {
      case DONE:
        AgentOutcome done =
            result == null ? AgentOutcome.broken(work.failure()) : AgentOutcome.of(result);
        // One that keeps its budget itself ends a moment before it is ended.
        return turn.ending().isRequested() && isFailure(result) ? turn.ended(done) : done;
      case TIMEOUT:
        AgentOutcome late = AgentOutcome.cutOff(Iteration.Status.TIMEOUT, result, ended);
        return work.hasBegun()
            ? late
            : late.as(late.status(), "no thread of the loop's executor took the agent up in time");
      default:
        return cancellation.isRequested() || !turn.ending().isRequested()
            ? AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended)
            : turn.ended(AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended));
    }
  }
}
