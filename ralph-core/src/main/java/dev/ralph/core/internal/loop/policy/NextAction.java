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
  record Assign(List<Integer> workers) implements NextAction {

    /** Creates the action; copies the list. */
    public Assign {
      workers = List.copyOf(workers);
    }
  }

  /**
   * Starts a merge of completed work.
   *
   * @param tasks the ids of the tasks, in this order; an empty id for work without a task
   */
  record Merge(List<String> tasks) implements NextAction {

    /** Creates the action; copies the list. */
    public Merge {
      tasks = List.copyOf(tasks);
    }
  }

  /** Ends the step. The run continues with the next step. */
  record EndStep() implements NextAction {}

  /** Waits until an order, an answer, a deadline, or the end of running work. */
  sealed interface Wait extends NextAction {}

  /** Waits until the session is resumed. */
  record WaitForResume(LoopDeadline until) implements Wait {}

  /**
   * Waits for answers.
   *
   * @param questions the open questions, such as {@code q1}
   */
  record WaitForAnswers(List<String> questions, LoopDeadline until) implements Wait {

    /** Creates the action; copies the list. */
    public WaitForAnswers {
      questions = List.copyOf(questions);
    }
  }

  /**
   * Waits for the end of a backoff.
   *
   * @param notice the description for the listeners; null if it was reported
   */
  record WaitForBackoff(Backoff.@Nullable Notice notice, LoopDeadline until) implements Wait {}

  /** Waits for running agents or a running merge, for at most a second of real time. */
  record WaitForWork() implements Wait {}
}
