package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** Thrown when another process does not release the store's lock in time. */
public final class LockedException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final long pid;

  /**
   * Creates the exception. The message should also name the process.
   *
   * @param pid the process id of the holder, or 0 if unknown
   */
  public LockedException(String message, long pid) {
    this(message, pid, null);
  }

  private LockedException(String message, long pid, @Nullable Throwable cause) {
    super(Code.LOCKED, message, cause);
    this.pid = pid;
  }

  /** Returns the process id of the holder, or 0 if unknown. */
  public long pid() {
    return pid;
  }

  @Override
  public LockedException withMessage(String message) {
    return new LockedException(message, pid, this);
  }
}
