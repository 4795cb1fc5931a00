package dev.ralph.log;

/**
 * It is not known whether an append took place, whether it lasts, or what it came to. Never retry
 * it blindly.
 *
 * <ul>
 *   <li>Where {@link #isWritten()} is false, ask the store by {@code findBatch} with the batch's
 *       id, once it can be read again: what it finds counts like any other append.
 *   <li>Where it is true the frames stand in the log, so that readers see them. The message and the
 *       cause say what is in doubt: mostly a power cut may take them away again, and finding them
 *       does not settle that; or a fold failed at them.
 * </ul>
 */
public final class IndeterminateException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final String batchId;
  private final transient Position since;
  private final boolean written;

  /** Makes the failure of an append that may or may not have been written. */
  public IndeterminateException(String message, String batchId, Position since, Throwable cause) {
    this(message, batchId, since, false, cause);
  }

  /**
   * Makes the failure.
   *
   * @param since a position before which the batch cannot stand
   * @param written whether the batch was certainly written
   */
  public IndeterminateException(
      String message, String batchId, Position since, boolean written, Throwable cause) {
    super(Code.INDETERMINATE, message, cause);
    this.batchId = batchId;
    this.since = since;
    this.written = written;
  }

  /** Returns the id of the batch in question. */
  public String batchId() {
    return batchId;
  }

  /** Returns a position before which the batch cannot stand. */
  public Position since() {
    return since == null ? Position.START : since;
  }

  /**
   * Returns whether the batch was certainly written, so that it is in doubt only whether it lasts
   * or what it came to; false if it is not known whether it was written at all.
   */
  public boolean isWritten() {
    return written;
  }

  @Override
  public IndeterminateException withMessage(String message) {
    return new IndeterminateException(message, batchId, since(), written, this);
  }
}
