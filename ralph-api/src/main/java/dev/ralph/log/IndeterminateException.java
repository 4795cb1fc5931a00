package dev.ralph.log;

/**
 * Thrown when the outcome of an append is unknown. Never retry the append without a check.
 *
 * <ul>
 *   <li>If {@link #isWritten()} is false, call {@code findBatch} with the batch's id as soon as the
 *       store is readable. Frames returned by the read were appended.
 *   <li>If {@link #isWritten()} is true, the log contains the frames and readers see them. The
 *       message and the cause name the doubt: a power cut may remove the frames, which {@code
 *       findBatch} can't tell, or a fold failed at a frame.
 * </ul>
 */
public final class IndeterminateException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final String batchId;
  private final transient Position since;
  private final boolean written;

  /** Creates the exception of an append that may or may not have been written. */
  public IndeterminateException(String message, String batchId, Position since, Throwable cause) {
    this(message, batchId, since, false, cause);
  }

  /**
   * Creates the exception.
   *
   * @param since a position before which the log does not contain the batch
   * @param written true if the batch was certainly written
   */
  public IndeterminateException(
      String message, String batchId, Position since, boolean written, Throwable cause) {
    super(Code.INDETERMINATE, message, cause);
    this.batchId = batchId;
    this.since = since;
    this.written = written;
  }

  /** Returns the id of the batch. */
  public String batchId() {
    return batchId;
  }

  /** Returns a position before which the log does not contain the batch. */
  public Position since() {
    return since == null ? Position.START : since;
  }

  /**
   * Returns whether the batch was certainly written, so that only its durability or effect is
   * unknown. False if even the write is uncertain.
   */
  public boolean isWritten() {
    return written;
  }

  @Override
  public IndeterminateException withMessage(String message) {
    return new IndeterminateException(message, batchId, since(), written, this);
  }
}
