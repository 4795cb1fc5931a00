package dev.ralph;

/** Why a loop ended. The set is closed: a program may handle each. */
public enum StopReason {
  /** The work is done: completion was claimed, all tasks are terminal, all gates passed. */
  COMPLETED("completed"),
  /** As many iterations were run as allowed. */
  MAX_ITERATIONS("max_iterations"),
  /** The time allowed for all iterations is up. */
  TIME_LIMIT("time_limit"),
  /**
   * Too many iterations failed in a row, the agent can't work at all, or an error was thrown that
   * no loop can handle.
   */
  FAILURES("failures"),
  /**
   * The store refused what the loop had to read or write, for good or more often than allowed, and
   * the loop was closed over it.
   */
  STORE_FAILED("store_failed"),
  /** The session is no longer this loop's: its lease ran out, or it was said to be gone. */
  LOST("lost"),
  /**
   * Too many iterations in a row ended well and changed nothing: no task, note, message or question
   * of the session, no commit, no file.
   */
  NO_PROGRESS("no_progress"),
  /** The money or the tokens allowed for all iterations are used up. */
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
   * The task list of an OpenSpec change was edited so that a completed task no longer corresponds
   * to one line of the list. No box was ticked for that task.
   */
  PLAN_CHANGED("plan_changed"),
  /** A lock file in the user's Git repository blocks the loop. The detail names the lock file. */
  REPOSITORY_LOCKED("repository_locked"),
  /** Somebody stopped it through the session. */
  STOPPED("stopped"),
  /** It was cancelled from within the program: by a signal, an interrupt, or the host. */
  INTERRUPTED("interrupted");

  private final String word;

  StopReason(String word) {
    this.word = word;
  }

  /** Returns the reason as it stands in frames and events. */
  public String word() {
    return word;
  }
}
