package dev.ralph.cli.call;

/** The numbers that the command ends with. They are documented, so none may change its meaning. */
public final class ExitCode {

  /** Done. For {@code build}: the work is complete. */
  public static final int DONE = 0;

  /** The request could not be met: not found, refused, damaged, no room. */
  public static final int FAILED = 1;

  /** Wrong use, or an environment that the command can't work in. */
  public static final int USAGE = 2;

  /** {@code build}: as many iterations as allowed, with work left; the last did not fail. */
  public static final int MAX_ITERATIONS = 3;

  /** {@code build}: the time for all iterations is up. */
  public static final int TIME_LIMIT = 4;

  /**
   * {@code build}: too many iterations failed in a row, the agent can't work at all, or the last of
   * the iterations allowed failed.
   */
  public static final int FAILURES = 5;

  /** {@code build}: too many iterations in a row changed nothing. */
  public static final int NO_PROGRESS = 6;

  /** {@code build}: the money or the tokens allowed are used up. */
  public static final int BUDGET = 7;

  /**
   * {@code mail receive}, {@code mail ask}, {@code task claim --next}: there is no mail, no answer
   * came in time, or no task is ready.
   */
  public static final int NOTHING = 8;

  /** {@code build}: somebody ordered it to stop, with work left. */
  public static final int STOPPED = 9;

  /** {@code build}: the agent or a gate cannot be started. */
  public static final int CANNOT_START = 10;

  /** {@code build}: a gate fails on the session's branch, whatever the tasks change. */
  public static final int GATE_FAILED = 11;

  /** {@code build}: every open task is blocked because it reached the attempt limit. */
  public static final int TASKS_BLOCKED = 12;

  /** {@code build}: the task list of an OpenSpec change was edited beyond recognition. */
  public static final int PLAN_CHANGED = 13;

  /** {@code build}: a lock file in the Git repository blocks the loop. */
  public static final int REPOSITORY_LOCKED = 14;

  /** Interrupted. A process that ends by a signal says 128 and its number instead. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
