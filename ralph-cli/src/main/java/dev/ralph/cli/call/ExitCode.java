package dev.ralph.cli.call;

import dev.ralph.StopReason;

/** The exit codes of the command. They are documented, so their meaning must not change. */
public final class ExitCode {

  /** Success. For {@code build}: the work is complete. */
  public static final int DONE = 0;

  /** The request failed: for example not found, rejected, damaged, or no space left. */
  public static final int FAILED = 1;

  /** Wrong usage, or an unsuitable environment. */
  public static final int USAGE = 2;

  /**
   * {@code build}: the iteration limit was reached with work left; the last iteration did not fail.
   */
  public static final int MAX_ITERATIONS = 3;

  /** {@code build}: the time limit for all iterations was reached. */
  public static final int TIME_LIMIT = 4;

  /**
   * {@code build}: too many consecutive iterations failed, the agent cannot work at all, or the
   * last permitted iteration failed.
   */
  public static final int FAILURES = 5;

  /** {@code build}: too many consecutive iterations changed nothing. */
  public static final int NO_PROGRESS = 6;

  /** {@code build}: the budget of money or tokens is used up. */
  public static final int BUDGET = 7;

  /**
   * {@code mail receive}, {@code mail ask}, {@code task claim --next}: no mail, no answer in time,
   * or no ready task.
   */
  public static final int NOTHING = 8;

  /** {@code build}: the loop was stopped by an order, with work left. */
  public static final int STOPPED = 9;

  /** {@code build}: the agent or a gate cannot be started. */
  public static final int CANNOT_START = 10;

  /** {@code build}: a gate fails on the session's branch, independent of the tasks' changes. */
  public static final int GATE_FAILED = 11;

  /** {@code build}: every open task is blocked after it reached the attempt limit. */
  public static final int TASKS_BLOCKED = 12;

  /** {@code build}: the task list of an OpenSpec change was edited beyond recognition. */
  public static final int PLAN_CHANGED = 13;

  /** {@code build}: a lock file in the Git repository blocks the loop. */
  public static final int REPOSITORY_LOCKED = 14;

  /** Interrupted. A process that a signal ends reports 128 plus the signal number instead. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}

  /**
   * Returns the exit code of a {@code build} that ended for a reason.
   *
   * @param lastFailed whether the last iteration failed
   */
  public static int of(StopReason reason, boolean lastFailed) {
    return switch (reason) {
      case COMPLETED -> DONE;
      case STOPPED -> STOPPED;
      case MAX_ITERATIONS -> lastFailed ? FAILURES : MAX_ITERATIONS;
      case TIME_LIMIT -> TIME_LIMIT;
      case FAILURES -> FAILURES;
      case NO_PROGRESS -> NO_PROGRESS;
      case BUDGET -> BUDGET;
      case CANNOT_START -> CANNOT_START;
      case GATE_FAILED -> GATE_FAILED;
      case TASKS_BLOCKED -> TASKS_BLOCKED;
      case PLAN_CHANGED -> PLAN_CHANGED;
      case REPOSITORY_LOCKED -> REPOSITORY_LOCKED;
      case STORE_FAILED, LOST -> FAILED;
      case INTERRUPTED -> INTERRUPTED;
    };
  }
}
