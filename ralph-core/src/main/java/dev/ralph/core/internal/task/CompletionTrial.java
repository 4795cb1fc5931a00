package dev.ralph.core.internal.task;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tests, before one of several agents completes its task, whether the work merges with what was
 * merged and with what is about to be.
 */
@FunctionalInterface
public interface CompletionTrial {

  /**
   * Work on a branch.
   *
   * @param task the task, as {@code t3}
   * @param branch the branch that the task's claim names
   * @param agent the number of the agent that holds or held the claim; 0 if the claim names none
   * @param token of the claim
   */
  record Work(String task, String branch, int agent, String token) {}

  /**
   * The outcome of a test.
   *
   * @param onto the commit of the session's branch that the work was tested with; null if nothing
   *     was tested
   * @param files in conflict; empty if the work merges
   * @param remedy what the agent has to do about a conflict with the session's branch; empty if
   *     there is none
   * @param rival the token of the claim whose work, which waits to be merged, is in conflict; null
   *     if none is
   */
  record Outcome(@Nullable String onto, List<String> files, String remedy, @Nullable String rival) {

    /** No test was possible: the merge queue finds a conflict. */
    public static final Outcome UNTESTED = new Outcome(null, List.of(), "", null);

    /** Copies the list. */
    public Outcome {
      files = List.copyOf(files);
    }
  }

  /**
   * Tests work.
   *
   * @param own the agent's work
   * @param waiting the work that waits to be merged
   * @throws InterruptedException if the thread is interrupted
   */
  Outcome run(Work own, List<Work> waiting) throws InterruptedException;
}
