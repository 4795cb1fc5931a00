package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The session as of the last look. Reading it costs no call to the store, except {@link
 * #remaining}.
 */
public interface PolicyView {

  /** Returns the control state, which is constant for this view. */
  ControlState steering();

  /** Returns whether the session has a task of any status. */
  boolean hasTasks();

  /** Returns whether a message is unread. */
  boolean hasUnread();

  /** Returns all iterations, oldest first. */
  List<Iteration> iterations();

  /** Returns the open questions, such as {@code q1}. */
  List<String> openQuestions();

  /** Returns a description of the unread messages; null for none. */
  @Nullable String unread();

  /** Returns the tasks at their attempt limit if they block all open tasks; otherwise empty. */
  List<Task> outOfAttempts();

  /** Returns the number of tasks that an agent may claim now. */
  int readyTasks();

  /** Returns the number of tasks that wait only because a task in the merge queue may conflict. */
  int heldUpByMerge();

  /** Returns the ids of completed tasks that wait for their merge. */
  List<String> tasksToMerge();

  /**
   * Returns the remaining work in the session's present state; asked only at the iteration limit.
   */
  RemainingWork remaining();

  /** The remaining work of a session; each method may call the store. */
  interface RemainingWork {

    /** Returns the number of tasks. */
    TaskCount count();

    /** Returns a description of the unread messages; null for none. */
    @Nullable String unread();

    /** Returns the reasons of the last refusal of completion; empty for none. */
    List<String> refusedFor();
  }

  /**
   * A number of tasks.
   *
   * @param all of any status
   * @param open neither completed nor cancelled
   */
  record TaskCount(int all, int open) {}
}
