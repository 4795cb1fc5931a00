package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** Another process holds the store's lock and did not let go in time. */
public final class LockedException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final long pid;

  /**
   * Makes the failure; the message should name the process as well.
   *
   * @param pid the process id of the holder, or 0 where it is not known
   */
  public LockedException(String message, long pid) {
    this(message, pid, null);
  }

  private LockedException(String message, long pid, @Nullable Throwable cause) {
    super(Code.LOCKED, message, cause);
    this.pid = pid;
  }

  /** Returns the process id of the holder, or 0 where it is not known. */
  public long pid() {
    return pid;
  }

  @Override
  public LockedException withMessage(String message) {
    return new LockedException(message, pid, this);
  }
}
