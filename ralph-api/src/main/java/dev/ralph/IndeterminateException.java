package dev.ralph;

/**
 * It is not known whether an append took place. Never retry it blindly: ask the store first, by
 * {@code findBatch} with the batch's id, once it can be read again.
 */
public final class IndeterminateException extends RalphException {

  private static final long serialVersionUID = 1L;

  private final String batchId;
  private final transient Position since;

  /** Makes the failure. */
  public IndeterminateException(String message, String batchId, Position since, Throwable cause) {
    super(Code.INDETERMINATE, message, cause);
    this.batchId = batchId;
    this.since = since;
  }

  /** Returns the id of the batch in question. */
  public String batchId() {
    return batchId;
  }

  /** Returns a position before which the batch cannot stand. */
  public Position since() {
    return since == null ? Position.START : since;
  }
}
