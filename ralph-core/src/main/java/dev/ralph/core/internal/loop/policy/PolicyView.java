package dev.ralph.core.internal.loop.policy;

import dev.ralph.Iteration;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The session as of the last read. Reading it costs no call to the store, except {@link #refusal}
 * and {@link #remaining}.
 */
public interface PolicyView {

  /** Returns the control state, which is constant for this view. */
  ControlState steering();

  /** Returns whether the session has a task of any status. */
  boolean hasTasks();

  /** Returns all iterations, oldest first. */
  List<Iteration> iterations();

  /** Returns the open questions, such as {@code q1}. */
  List<String> openQuestions();

  /** Returns a description of the unread messages; null for none. */
  @Nullable String unread();

  /** Returns the tasks at their attempt limit if they block all open tasks; otherwise empty. */
  List<Task> outOfAttempts();

  /**
   * Returns a description of the last refusal of completion in the session's present state; null
   * for none. Asked only when missing progress ends the run.
   */
  @Nullable String refusal();

  /**
   * Returns a description of the remaining work in the session's present state; null if no work was
   * specified. Asked only when the iteration limit ends the run.
   */
  @Nullable String remaining();
}
