package dev.ralph.core.internal.loop.agent;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Iteration;
import dev.ralph.core.CommandAgent;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.CutOffWork;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.RunClaim;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.core.internal.loop.run.WorkScope;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.text.LogText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs an agent once, on another thread, within its time limit. When {@link #run} ends, the agent
 * has ended, and none of its processes runs on. Otherwise the agent is known to be abandoned.
 */
public final class AgentRunner {

  private static final System.Logger LOG = System.getLogger(AgentRunner.class.getPackageName());

  /**
   * The time beyond the grace of an agent, because killing its remaining processes takes a moment.
   */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  /** The difference between the agent's wall clock and the loop's monotonic clock. */
  private static final Duration CLOCK_TOLERANCE = Duration.ofMillis(5);

  /** The wait for a thread of a host's executor, after which a warning is logged. */
  public static final Duration TAKEN_UP_WITHIN = Duration.ofSeconds(10);

  private final ProcessMark mark;
  private final RunClaim claim;
  private final Cancellation cancellation;
  private final LoopClock time;
  private final WorkScope scope;
  private volatile @Nullable CutOffWork<AgentResult> running;

  /**
   * @param mark the mark of the agent's processes
   */
  AgentRunner(LoopSession session, ProcessMark mark) {
    this.mark = mark;
    this.claim = session.claim();
    this.cancellation = session.cancellation();
    this.time = session.time();
    this.scope = session.work();
  }

  /** Returns whether a cancelled agent had not ended when the wait for it ended. */
  public boolean hasLeftBehind() {
    return running != null;
  }

  /**
   * Runs the agent.
   *
   * @param tick called about every second during the run
   * @throws Error if the agent throws one, because an error is a fault of the program
   */
  AgentOutcome run(Agent agent, LoopTurn turn, Executor executor, TimeBox limit, Runnable tick) {
    CutOffWork<AgentResult> work = new CutOffWork<>(executor, () -> agent.run(turn));
    if (cancellation.isRequested()) {
      turn.close();
      return AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, null, true);
    }
    // Before the start, because the agent may immediately close its loop.
    running = work;
    scope.add(work);
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
        scope.remove(work);
      }
      cleanUp(agent, turn, cause);
    }
    if (work.failure() instanceof Error error) {
      throw error;
    }
    if (cause == CutOffWork.Cause.DONE && isNearlyUp(limit) && isFailure(work.value())) {
      // The agent enforced the time limit itself, a moment earlier.
      cause = CutOffWork.Cause.TIMEOUT;
    }
    return outcome(work, turn, cause).orUsed(turn.used());
  }

  private static String notTaken(RejectedExecutionException refused) {
    return "the loop's executor rejected the agent: "
        + Objects.requireNonNullElse(refused.getMessage(), "no reason given")
        + "; use an open executor with a free thread";
  }

  /**
   * Returns an action that warns once if no thread has started the agent. The loop itself may hold
   * the only thread.
   */
  private Runnable onceOverdue(CutOffWork<AgentResult> work, LoopTurn turn) {
    TimeBox patience = time.box(TAKEN_UP_WITHIN);
    AtomicBoolean told = new AtomicBoolean();
    return () -> {
      if (patience.isUp() && !work.hasBegun() && told.compareAndSet(false, true)) {
        String words =
            "no thread of the loop's executor started the agent within "
                + LogText.time(TAKEN_UP_WITHIN)
                + "; the executor needs a thread besides the stepping thread";
        LOG.log(Level.WARNING, words);
        turn.notice(words);
      }
    };
  }

  private void cleanUp(Agent agent, LoopTurn turn, CutOffWork.Cause cause) {
    try {
      turn.close();
    } finally {
      // Examining all processes of the machine takes longer than many agents run. A command agent
      // has already done it. For an agent within the program, the end of the loop is early enough.
      boolean looked = agent instanceof CommandAgent || !agent.needsTools();
      if (!looked || cause != CutOffWork.Cause.DONE) {
        mark.endOrphansIfUsed(turn.grace());
      }
    }
  }

  /** Cancels the agent; returns whether the end of the agent is certain. */
  private boolean cutOff(CutOffWork<AgentResult> work, LoopTurn turn) {
    try {
      return end(work, turn);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.WARNING, "can't end the agent; it is left running", e);
      return false;
    }
  }

  private boolean end(CutOffWork<AgentResult> work, LoopTurn turn) {
    turn.cancel();
    work.interrupt();
    if (work.awaitEnd(turn.grace().plus(MARGIN))) {
      return true;
    }
    if (mark.isUsed()) {
      // The agent most likely waits for one of its own processes.
      mark.endAll(Duration.ZERO);
    }
    if (work.awaitEnd(MARGIN)) {
      return true;
    }
    LOG.log(
        Level.WARNING,
        "the agent in iteration "
            + turn.iteration()
            + " was interrupted but still runs; its thread is left running");
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
        // An agent that enforces its budget itself ends a moment earlier.
        return turn.ending().isRequested() && isFailure(result) ? turn.ended(done) : done;
      case TIMEOUT:
        AgentOutcome late = AgentOutcome.cutOff(Iteration.Status.TIMEOUT, result, ended);
        return work.hasBegun()
            ? late
            : late.as(late.status(), "no thread of the loop's executor started the agent in time");
      default:
        return cancellation.isRequested() || !turn.ending().isRequested()
            ? AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended)
            : turn.ended(AgentOutcome.cutOff(Iteration.Status.INTERRUPTED, result, ended));
    }
  }
}
