package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;

/** The reason of the end of a loop. The set is closed: a program may handle each constant. */
public enum StopReason {
  /** The session is complete: completion was claimed, all tasks are settled, all gates passed. */
  COMPLETED("completed"),
  /** The limit of iterations is reached. */
  MAX_ITERATIONS("max_iterations"),
  /** The time limit of the run is reached. */
  TIME_LIMIT("time_limit"),
  /**
   * Too many iterations failed in a row, the agent can't work at all, or an unexpected error was
   * thrown.
   */
  FAILURES("failures"),
  /** The store failed permanently or too many times in a row, and the loop was closed. */
  STORE_FAILED("store_failed"),
  /** The loop lost the session: its lease expired, or the loop was declared dead. */
  LOST("lost"),
  /**
   * Too many successful iterations in a row made no progress: no change of a task, note, message or
   * question, no commit, no changed file.
   */
  NO_PROGRESS("no_progress"),
  /** The cost or token limit of the run is reached. */
  BUDGET("budget"),
  /**
   * The agent or a gate cannot be started: its program is missing, or a relative path does not
   * exist in the work tree. No iteration ran.
   */
  CANNOT_START("cannot_start"),
  /**
   * A gate failed for three completed tasks in a row, and fails on the session's branch without
   * these tasks too. No task was blamed.
   */
  GATE_FAILED("gate_failed"),
  /** Every open task is blocked because it reached the attempt limit. */
  TASKS_BLOCKED("tasks_blocked"),
  /**
   * An edit of an OpenSpec change's task list left a completed task without exactly one
   * corresponding line. No box was ticked for that task.
   */
  PLAN_CHANGED("plan_changed"),
  /** A lock file in the user's Git repository blocks the loop. The detail names the lock file. */
  REPOSITORY_LOCKED("repository_locked"),
  /** A person or program stopped the loop through the session. */
  STOPPED("stopped"),
  /** The program cancelled the loop: by a signal, an interrupt, or a call of the host. */
  INTERRUPTED("interrupted");

  private final String word;

  StopReason(String word) {
    this.word = word;
  }

  /** Returns the word of the reason in frames and events. */
  @JsonValue
  public String word() {
    return word;
  }
}
