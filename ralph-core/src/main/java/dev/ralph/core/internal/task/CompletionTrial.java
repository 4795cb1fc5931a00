package dev.ralph.core.internal.task;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tests whether an agent's work merges with the session's branch and with the work in the merge
 * queue, before the agent completes its task.
 */
@FunctionalInterface
public interface CompletionTrial {

  /**
   * Work on a branch.
   *
   * @param task the task, as {@code t3}
   * @param branch the branch named by the task's claim
   * @param agent the number of the agent that holds or held the claim; 0 if the claim names none
   * @param token the token of the claim
   */
  record Work(String task, String branch, int agent, String token) {}

  /**
   * The outcome of a test.
   *
   * @param onto the tested commit of the session's branch; null if nothing was tested
   * @param files the files in conflict; empty if the work merges
   * @param remedy the instruction for the agent if the session's branch conflicts; empty otherwise
   * @param rival the token of the claim whose queued work conflicts; null if no queued work does
   */
  record Outcome(@Nullable String onto, List<String> files, String remedy, @Nullable String rival) {

    /** No test was possible. The merge queue detects conflicts later. */
    public static final Outcome UNTESTED = new Outcome(null, List.of(), "", null);

    /** Copies the list. */
    public Outcome {
      files = List.copyOf(files);
    }
  }

  /**
   * Tests whether work merges.
   *
   * @param own the agent's work
   * @param waiting the work in the merge queue
   * @throws InterruptedException if the thread is interrupted
   */
  Outcome run(Work own, List<Work> waiting) throws InterruptedException;
}
