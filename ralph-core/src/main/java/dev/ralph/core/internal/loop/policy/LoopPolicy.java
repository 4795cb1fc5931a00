package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.LoopFacts.LoneAgent;
import dev.ralph.core.internal.loop.policy.NextAction.Assign;
import dev.ralph.core.internal.loop.policy.NextAction.End;
import dev.ralph.core.internal.text.LogText;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next action of a run. The first matching rule counts:
 *
 * <ol>
 *   <li>the end is decided: the outcome of an agent, a cancellation, or an agent that has not ended
 *   <li>a person stopped the session
 *   <li>the time is up
 *   <li>the host has to be asked, or a claim of completion has to be decided
 *   <li>the budget is used up
 *   <li>the iterations change nothing
 *   <li>no open task can be begun because of the attempt limit
 *   <li>the iteration limit is reached
 *   <li>the session is paused, a question is open, or a backoff runs
 *   <li>otherwise the next iteration begins
 * </ol>
 *
 * <p>A team merges and assigns tasks while agents work; the rules apply when no agent works. Pure:
 * equal arguments give equal results. Safe for use by many threads.
 */
public final class LoopPolicy {

  private static final String SET_TO_REMAINING =
      "; edit the task, name the task in a message, or set the task to remaining: ralph task"
          + " status ";

  private final LoopRules rules;

  /** Creates the policy of a loop. */
  public LoopPolicy(LoopRules rules) {
    this.rules = rules;
  }

  // ---- between iterations

  /**
   * Returns the next action.
   *
   * @param now the reading of the loop's clock
   */
  public NextAction next(PolicyView view, LoopFacts facts, long now) {
    LoopEnding ending = facts.ending();
    if (ending != null) {
      return new End(ending);
    }
    return facts.agents() instanceof TeamFacts team
        ? nextOfTeam(view, facts, team, now)
        : nextTurn(view, facts, ((LoneAgent) facts.agents()).backoff(), now);
  }

  /**
   * Returns the action that is due right after an iteration: End, AskHost or Judge; EndStep if
   * another iteration may follow. Ends a loop without a needless wait.
   *
   * @param now the reading of the loop's clock
   */
  public NextAction settle(PolicyView view, LoopFacts facts, long now) {
    LoopEnding decided = decided(view.steering(), facts, now);
    if (decided != null) {
      return new End(decided);
    }
    if (!facts.isAsked()) {
      return new NextAction.AskHost();
    }
    if (facts.isClaimed() || view.steering().claimed()) {
      return new NextAction.Judge();
    }
    StopReason limit = limit(view, facts);
    return limit == null
        ? new NextAction.EndStep()
        : new End(new LoopEnding(limit, detail(limit, view, facts)));
  }

  private NextAction nextTurn(PolicyView view, LoopFacts facts, Backoff backoff, long now) {
    NextAction due = settle(view, facts, now);
    if (!(due instanceof NextAction.EndStep)) {
      return due;
    }
    LoopDeadline end = facts.timeLimit();
    if (view.steering().paused()) {
      return new NextAction.Wait(WaitNotice.PAUSED, end);
    }
    List<String> open = awaitedAnswers(view);
    if (!open.isEmpty()) {
      return new NextAction.Wait(WaitNotice.questions(open), end);
    }
    return backoff.notBefore().isUp(now)
        ? new NextAction.Run(role(view))
        : new NextAction.Wait(backoff.notice(), end.earlier(backoff.notBefore()));
  }

  /** Returns the role of the next iteration; it depends only on the session. */
  public Iteration.Role role(PolicyView view) {
    if (rules.hasPlanner() && !view.hasTasks() && (rules.hasGoal() || view.unread() != null)) {
      return Iteration.Role.PLAN;
    }
    int every = rules.reviewEvery();
    boolean isReview = every > 0 && isToReview(view.iterations(), every);
    return isReview ? Iteration.Role.REVIEW : Iteration.Role.BUILD;
  }

  /** A failed review is repeated, but not immediately. */
  private static boolean isToReview(List<Iteration> iterations, int every) {
    int well = 0;
    for (int i = iterations.size() - 1; i >= 0 && well < every; i--) {
      Iteration iteration = iterations.get(i);
      boolean isReview = iteration.role() == Iteration.Role.REVIEW;
      boolean isWell = iteration.status() == Iteration.Status.SUCCESS;
      if (isReview && (isWell || i == iterations.size() - 1)) {
        return false;
      }
      well += isWell ? 1 : 0;
    }
    return well >= every;
  }

  private List<String> awaitedAnswers(PolicyView view) {
    return rules.waitsForAnswers() ? view.openQuestions() : List.of();
  }

  // ---- a team

  private NextAction nextOfTeam(PolicyView view, LoopFacts facts, TeamFacts team, long now) {
    TeamFacts.Queue queue = team.queue();
    List<String> assigned = team.assigned();
    List<String> done = queue.tasks().stream().filter(id -> !assigned.contains(id)).toList();
    boolean mayMerge = !done.isEmpty() && !facts.timeLimit().isUp(now); // gates need time
    boolean isPausedQueue = !queue.retryAt().isUp(now);
    if (mayMerge && !queue.isBusy() && !isPausedQueue) {
      return new NextAction.Merge(done);
    }
    boolean mayMergeLater = mayMerge && !(isPausedQueue && isNearEnd(view, facts, now));
    if (!team.isAnyBusy() && !queue.isBusy() && !mayMergeLater) {
      return atRest(view, facts, team, now);
    }
    Assign assign = mayAssign(view, facts, assigned, now) ? assignment(team, now) : null;
    if (assign != null) {
      return assign;
    }
    return team.hasMoved() ? new NextAction.EndStep() : new NextAction.WaitForWork();
  }

  /** Decides when no agent and no merge runs, and no merge can start. */
  private NextAction atRest(PolicyView view, LoopFacts facts, TeamFacts team, long now) {
    TeamFacts.Worker soonest = TeamFacts.soonest(team.workers(), now);
    if (soonest == null) {
      LoopEnding over = team.workers().get(0).over();
      return new End(Objects.requireNonNull(over, "all workers have stopped"));
    }
    if (team.hasMoved()) {
      return settle(view, facts, now);
    }
    NextAction turn = nextTurn(view, facts, soonest.backoff(), now);
    boolean isToBuild = turn.equals(new NextAction.Run(Iteration.Role.BUILD));
    Assign assign = isToBuild ? assignment(team, now) : null;
    return assign == null ? turn : assign;
  }

  /** Returns whether tasks may be assigned while other agents work. */
  private boolean mayAssign(PolicyView view, LoopFacts facts, List<String> assigned, long now) {
    return !assigned.contains("") // no other agent may work beside a worker without a task
        && !view.steering().paused()
        && !isNearEnd(view, facts, now)
        && awaitedAnswers(view).isEmpty()
        && role(view) == Iteration.Role.BUILD;
  }

  /**
   * Returns the assignment of ready tasks to free workers; null for none. One worker is kept free
   * if the tasks that the running merge holds up, which run in sequence, take longer than the other
   * agents need for all ready tasks. Without the worker, they would wait for the next free agent.
   */
  private static @Nullable Assign assignment(TeamFacts team, long now) {
    List<Integer> free = team.free(now);
    if (team.hasAssigned() || team.ready() == 0 || free.isEmpty()) {
      return null;
    }
    int inSequence = team.queue().heldUp();
    boolean isKept = inSequence > 0 && inSequence * (team.workers().size() - 1) >= team.ready();
    List<Integer> chosen = free.subList(isKept ? 1 : 0, free.size());
    return chosen.isEmpty() ? null : new Assign(chosen);
  }

  /** Returns whether no further iteration may begin, independent of the running iterations. */
  public boolean isNearEnd(PolicyView view, LoopFacts facts, long now) {
    return decided(view.steering(), facts, now) != null || limit(view, facts) != null;
  }

  // ---- reasons

  private static @Nullable LoopEnding decided(ControlState steering, LoopFacts facts, long now) {
    ControlState.Stop stop = steering.stop();
    if (facts.ending() != null) {
      return facts.ending();
    }
    if (stop != null) {
      return new LoopEnding(StopReason.STOPPED, stop.reason());
    }
    return facts.timeLimit().isUp(now) ? new LoopEnding(StopReason.TIME_LIMIT, null) : null;
  }

  private @Nullable StopReason limit(PolicyView view, LoopFacts facts) {
    if (facts.budgetReached() != null) {
      return StopReason.BUDGET;
    }
    if (facts.idle().isOver()) {
      return StopReason.NO_PROGRESS;
    }
    if (!view.outOfAttempts().isEmpty()) {
      return StopReason.TASKS_BLOCKED;
    }
    ControlState.Run run = view.steering().run();
    int most = Math.max(rules.maxIterations(), run == null ? 0 : run.limit()); // may be raised
    boolean isReached = rules.maxIterations() > 0 && facts.iterations() >= most;
    return isReached ? StopReason.MAX_ITERATIONS : null;
  }

  private static @Nullable String detail(StopReason limit, PolicyView view, LoopFacts facts) {
    return switch (limit) {
      case BUDGET -> facts.budgetReached();
      case NO_PROGRESS -> noProgress(view, facts.idle());
      case TASKS_BLOCKED -> outOfAttempts(view.outOfAttempts());
      default -> leftAtLimit(view.remaining(), facts.lastFailure());
    };
  }

  private static String noProgress(PolicyView view, IdleCount idle) {
    String refusal = view.refusal();
    return idle.reason(view.unread(), view.openQuestions().size())
        + (refusal == null ? "" : "; " + refusal);
  }

  private static String outOfAttempts(List<Task> blocked) {
    Task first = blocked.get(0);
    int more = blocked.size() - 1;
    String task = "t" + first.number();
    String are = (more == 0 ? " is" : " and " + more + " more are") + " blocked after ";
    String reason = " failed attempts: " + LogText.firstLine(String.valueOf(first.reason()));
    return task + are + first.attempts() + reason + SET_TO_REMAINING + task + " remaining";
  }

  private static @Nullable String leftAtLimit(@Nullable String left, @Nullable String failure) {
    return failure == null
        ? left
        : (left == null ? "" : left + "; ") + "the last iteration " + failure;
  }

  // ---- after an agent, a judgement, or a fault

  /**
   * Returns the reason why an agent stops after an iteration, or null if it continues. The reason
   * of a lone agent takes precedence over a cancellation.
   *
   * @param failures the number of consecutive failures
   * @param facts the facts after the iteration's usage was added
   */
  public @Nullable LoopEnding afterAgent(
      AgentOutcome outcome, int failures, LoopFacts facts, long now) {
    String failure = outcome.failure();
    if (outcome.isFatal()) {
      return new LoopEnding(StopReason.FAILURES, outcome.summary());
    }
    boolean isTooMany = failure != null && failures >= rules.maxFailures();
    if (!isTooMany || facts.budgetReached() != null || facts.timeLimit().isUp(now)) {
      return null;
    }
    String row =
        failures > 1 ? failures + " failures in a row; the last iteration " : "the iteration ";
    return new LoopEnding(StopReason.FAILURES, row + failure);
  }

  /** Returns the reason if a cancelled agent has not ended; no other agent may run beside it. */
  public static LoopEnding besideAgent(int iteration, boolean isTimeUp) {
    return new LoopEnding(
        isTimeUp ? StopReason.TIME_LIMIT : StopReason.FAILURES,
        "the agent of iteration " + iteration + " was told to end but still runs");
  }

  /** Returns the reason after a claim was not granted, or null if the loop continues. */
  public static @Nullable LoopEnding afterRefusal(boolean isTimeUp) {
    return isTimeUp ? new LoopEnding(StopReason.TIME_LIMIT, "the gates were still running") : null;
  }

  /** Returns the reason after an unexpected failure. */
  public static LoopEnding atFault(Throwable fault) {
    return new LoopEnding(StopReason.FAILURES, fault.toString());
  }
}
