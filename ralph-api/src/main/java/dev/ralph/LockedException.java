package dev.ralph;

/** Another process holds the store's lock and did not let go in time. */
public final class LockedException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final long pid;

  /** Makes the failure; the message should name the process as well. */
  public LockedException(String message, long pid) {
    super(Code.LOCKED, message);
    this.pid = pid;
  }

  /** Returns the process id of the holder, or 0 where it is not known. */
  public long pid() {
    return pid;
  }
}
