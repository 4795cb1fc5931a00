package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The next action of a run. The interpreter performs the action and asks again with new facts. */
public sealed interface NextAction {

  /** Ends the run. The first ending is final. */
  record End(LoopEnding ending) implements NextAction {}

  /** Asks the host whether the work is done, and claims completion if the work is done. */
  record AskHost() implements NextAction {}

  /** Decides the claim of completion, which runs the gates. */
  record Judge() implements NextAction {}

  /** Runs an iteration of a lone agent, or of one worker without a task. */
  record Run(Iteration.Role role) implements NextAction {}

  /**
   * Claims tasks for free workers.
   *
   * @param workers the numbers of the workers, in this order; not empty
   */
  record Assign(List<Integer> workers) implements NextAction {}

  /**
   * Starts a merge of completed work.
   *
   * @param tasks the ids of the tasks, in this order; an empty id for work without a task
   */
  record Merge(List<String> tasks) implements NextAction {}

  /** Ends the step. The run continues with the next step. */
  record EndStep() implements NextAction {}

  /**
   * Waits until an order, an answer, or a deadline.
   *
   * @param notice the reason for the listeners; null if it was reported
   */
  record Wait(@Nullable WaitNotice notice, LoopDeadline until) implements NextAction {}

  /** Waits for running agents or a running merge, for at most a second of real time. */
  record WaitForWork() implements NextAction {}
}
