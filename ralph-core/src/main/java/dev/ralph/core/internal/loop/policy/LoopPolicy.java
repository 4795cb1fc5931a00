package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.loop.policy.LoopFacts.LoneAgent;
import dev.ralph.core.internal.text.LogText;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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
      return new NextAction.End(ending);
    }
    return facts.agents() instanceof TeamFacts team
        ? nextOfTeam(view, facts, team, now)
        : nextTurn(view, facts, ((LoneAgent) facts.agents()).backoff(), now);
  }

  /**
   * Returns the action that is due right after an iteration: End, AskHost or Judge; null if another
   * iteration may follow. Ends a loop without a needless wait.
   *
   * @param now the reading of the loop's clock
   */
  public @Nullable NextAction settle(PolicyView view, LoopFacts facts, long now) {
    LoopEnding decided = facts.ending();
    if (decided == null) {
      decided = byOrderOrTime(view.steering(), facts, now);
    }
    if (decided != null) {
      return new NextAction.End(decided);
    }
    LoopFacts.HostFacts host = facts.host();
    if (host.askedAfter() != host.iterations()) {
      return new NextAction.AskHost();
    }
    if (host.isClaimed() || view.steering().claimed()) {
      return new NextAction.Judge();
    }
    LoopEnding limit = byLimit(view, facts);
    return limit == null ? null : new NextAction.End(limit);
  }

  private NextAction nextTurn(PolicyView view, LoopFacts facts, Backoff backoff, long now) {
    NextAction first = settle(view, facts, now);
    if (first != null) {
      return first;
    }
    if (view.steering().paused()) {
      return new NextAction.WaitForResume(facts.timeLimit());
    }
    List<String> open = awaitedAnswers(view);
    if (!open.isEmpty()) {
      return new NextAction.WaitForAnswers(open, facts.timeLimit());
    }
    if (!backoff.notBefore().isUp(now)) {
      return new NextAction.WaitForBackoff(
          backoff.notice(), facts.timeLimit().earlier(backoff.notBefore()));
    }
    return new NextAction.Run(role(view));
  }

  /** Returns the role of the next iteration; it depends only on the session. */
  public Iteration.Role role(PolicyView view) {
    LoopRules.RoleRules roles = rules.roles();
    if (roles.hasPlanner() && !view.hasTasks() && (roles.hasGoal() || view.hasUnread())) {
      return Iteration.Role.PLAN;
    }
    return roles.reviewEvery() > 0 && isToReview(view.iterations(), roles.reviewEvery())
        ? Iteration.Role.REVIEW
        : Iteration.Role.BUILD;
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
    boolean isPausedQueue = !queue.retryAt().isUp(now);
    boolean mayMerge = !facts.timeLimit().isUp(now); // after the time limit no gate can run
    if (!queue.isBusy() && !isPausedQueue && mayMerge) {
      List<String> waiting = tasksToMerge(view, queue, team.assigned());
      if (!waiting.isEmpty()) {
        return new NextAction.Merge(waiting);
      }
    }
    if (!team.isAnyBusy() && !queue.isBusy()) {
      boolean mayMergeLater = mayMerge && !(isPausedQueue && isNearEnd(view, facts, now));
      if (!mayMergeLater || tasksToMerge(view, queue, Set.of()).isEmpty()) {
        return atRest(view, facts, team, now);
      }
    }
    if (mayAssign(view, facts, team, now)) {
      List<Integer> workers = assignable(view, team, now);
      if (!workers.isEmpty()) {
        return new NextAction.Assign(workers);
      }
    }
    return team.hasMoved() ? new NextAction.EndStep() : new NextAction.WaitForWork();
  }

  /** Decides when no agent and no merge runs, and no merge can start. */
  private NextAction atRest(PolicyView view, LoopFacts facts, TeamFacts team, long now) {
    TeamFacts.Worker soonest = team.soonest(now);
    if (soonest == null) {
      return new NextAction.End(
          Objects.requireNonNull(team.workers().get(0).over(), "all workers have stopped"));
    }
    if (team.hasMoved()) {
      NextAction due = settle(view, facts, now);
      return due == null ? new NextAction.EndStep() : due;
    }
    NextAction turn = nextTurn(view, facts, soonest.backoff(), now);
    if (!(turn instanceof NextAction.Run run)) {
      return turn;
    }
    if (run.role() == Iteration.Role.BUILD && !team.hasAssigned()) {
      List<Integer> workers = assignable(view, team, now);
      if (!workers.isEmpty()) {
        return new NextAction.Assign(workers);
      }
    }
    return run;
  }

  /** Returns the ids of the tasks that wait for their merge, work without a task first. */
  private static List<String> tasksToMerge(
      PolicyView view, TeamFacts.Queue queue, Set<String> assigned) {
    List<String> waiting = new ArrayList<>();
    if (queue.hasLooseWork() && !assigned.contains("")) {
      waiting.add("");
    }
    for (String task : view.tasksToMerge()) {
      if (!assigned.contains(task)) {
        waiting.add(task);
      }
    }
    return waiting;
  }

  /** Returns whether tasks may be assigned while other agents work. */
  private boolean mayAssign(PolicyView view, LoopFacts facts, TeamFacts team, long now) {
    return !team.hasAssigned()
        && !team.isAnyAlone()
        && !view.steering().paused()
        && !isNearEnd(view, facts, now)
        && awaitedAnswers(view).isEmpty()
        && role(view) == Iteration.Role.BUILD;
  }

  /** Returns the free workers for the ready tasks, without the worker that is kept free. */
  private static List<Integer> assignable(PolicyView view, TeamFacts team, long now) {
    int ready = view.readyTasks();
    List<Integer> free = team.free(now);
    if (ready == 0 || free.isEmpty()) {
      return List.of();
    }
    return free.subList(isOneKept(view, team, ready) ? 1 : 0, free.size());
  }

  /**
   * Returns whether a worker is kept free for tasks that the running merge holds up. A worker is
   * kept if these tasks, which run in sequence, take longer than the other agents need for all
   * ready tasks. Without the worker, they would wait for the next free agent.
   */
  private static boolean isOneKept(PolicyView view, TeamFacts team, int ready) {
    int inSequence = team.queue().isBusy() ? view.heldUpByMerge() : 0;
    int others = team.workers().size() - 1;
    return inSequence > 0 && inSequence * others >= ready;
  }

  /** Returns whether one more worker of an {@link NextAction.Assign} may get a task. */
  public boolean mayAssignNext(PolicyView view, LoopFacts facts, long now) {
    return !isNearEnd(view, facts, now) && view.readyTasks() > 0;
  }

  // ---- reasons

  /** Returns whether no further iteration may begin, independent of the running iterations. */
  private boolean isNearEnd(PolicyView view, LoopFacts facts, long now) {
    return facts.ending() != null
        || byOrderOrTime(view.steering(), facts, now) != null
        || facts.budgetReached() != null
        || facts.idle().isOver()
        || !view.outOfAttempts().isEmpty()
        || isAtIterationLimit(view, facts);
  }

  private static @Nullable LoopEnding byOrderOrTime(
      ControlState steering, LoopFacts facts, long now) {
    ControlState.Stop stop = steering.stop();
    if (stop != null) {
      return new LoopEnding(StopReason.STOPPED, stop.reason());
    }
    return facts.timeLimit().isUp(now) ? new LoopEnding(StopReason.TIME_LIMIT, null) : null;
  }

  private @Nullable LoopEnding byLimit(PolicyView view, LoopFacts facts) {
    String spent = facts.budgetReached();
    if (spent != null) {
      return new LoopEnding(StopReason.BUDGET, spent);
    }
    if (facts.idle().isOver()) {
      return new LoopEnding(
          StopReason.NO_PROGRESS, facts.idle().reason(view.unread(), view.openQuestions().size()));
    }
    List<Task> blocked = view.outOfAttempts();
    if (!blocked.isEmpty()) {
      return new LoopEnding(StopReason.TASKS_BLOCKED, outOfAttempts(blocked));
    }
    return isAtIterationLimit(view, facts)
        ? new LoopEnding(
            StopReason.MAX_ITERATIONS, leftAtLimit(view.remaining(), facts.lastFailure()))
        : null;
  }

  private boolean isAtIterationLimit(PolicyView view, LoopFacts facts) {
    return rules.maxIterations() > 0
        && facts.host().iterations() >= mostIterations(view.steering());
  }

  private static String outOfAttempts(List<Task> blocked) {
    Task first = blocked.get(0);
    String ref = "t" + first.number();
    String others =
        blocked.size() == 1
            ? ""
            : blocked.size() == 2 ? " and 1 more" : " and " + (blocked.size() - 1) + " more";
    return ref
        + others
        + (blocked.size() == 1 ? " is" : " are")
        + " blocked after "
        + first.attempts()
        + " failed attempts: "
        + LogText.firstLine(String.valueOf(first.reason()))
        + "; edit the task, name the task in a message, or set the task to remaining: ralph"
        + " task status "
        + ref
        + " remaining";
  }

  /** Returns the iteration limit, which a person may have raised. */
  private int mostIterations(ControlState steering) {
    ControlState.Run run = steering.run();
    return run == null ? rules.maxIterations() : Math.max(rules.maxIterations(), run.limit());
  }

  private static @Nullable String leftAtLimit(
      PolicyView.RemainingWork remaining, @Nullable String failure) {
    String left = left(remaining);
    return failure == null
        ? left
        : (left == null ? "" : left + "; ") + "the last iteration " + failure;
  }

  /** Returns the remaining work, or null if no work was specified. */
  private static @Nullable String left(PolicyView.RemainingWork remaining) {
    PolicyView.TaskCount tasks = remaining.count();
    int open = tasks.open();
    String unread = remaining.unread();
    if (tasks.all() == 0) {
      return unread;
    }
    if (open > 0) {
      return (open == 1 ? "1 task left" : open + " tasks left")
          + (unread == null ? "" : "; " + unread);
    }
    if (unread != null) {
      return "no task is left, but " + unread;
    }
    List<String> refusals = remaining.refusedFor();
    return refusals.isEmpty()
        ? "no task is left, but no agent called complete"
        : "no task is left, but completion was refused: "
            + String.join("; ", refusals.stream().map(LogText::firstLine).toList());
  }

  // ---- after an agent, a judgement, or a fault

  /**
   * Returns the reason why an agent stops after an iteration, or null if it continues. The reason
   * of a lone agent takes precedence over a cancellation.
   *
   * @param failures the number of consecutive failures; 0 if this iteration did not fail
   * @param facts the facts after the iteration's usage was added
   */
  public @Nullable LoopEnding afterAgent(
      AgentOutcome outcome, int failures, LoopFacts facts, long now) {
    if (outcome.isFatal()) {
      return new LoopEnding(StopReason.FAILURES, outcome.summary());
    }
    boolean isTooMany =
        failures >= rules.maxFailures()
            && facts.budgetReached() == null
            && !facts.timeLimit().isUp(now);
    if (!isTooMany) {
      return null;
    }
    return new LoopEnding(
        StopReason.FAILURES,
        failures > 1
            ? failures + " failures in a row; the last iteration " + outcome.failure()
            : "the iteration " + outcome.failure());
  }

  /** Returns the reason if a cancelled agent has not ended; no other agent may run beside it. */
  public static LoopEnding besideAgent(int iteration, LoopDeadline timeLimit, long now) {
    return new LoopEnding(
        timeLimit.isUp(now) ? StopReason.TIME_LIMIT : StopReason.FAILURES,
        "the agent of iteration " + iteration + " was told to end but still runs");
  }

  /** Returns the reason after a claim was not granted, or null if the loop continues. */
  public static @Nullable LoopEnding afterRefusal(LoopDeadline timeLimit, long now) {
    return timeLimit.isUp(now)
        ? new LoopEnding(StopReason.TIME_LIMIT, "the gates were still running")
        : null;
  }

  /** Returns the reason after an unexpected failure. */
  public static LoopEnding atFault(Throwable fault) {
    return new LoopEnding(StopReason.FAILURES, fault.toString());
  }
}
