package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when concurrent writers kept changing the state of a decision, or hold the object that the
 * decision needs. Nothing was written.
 *
 * <p>Read the state again before the next attempt: a task that another agent has claimed is no
 * longer free.
 */
public final class ContendedException extends RalphException {

  private static final long serialVersionUID = 1L;

  ContendedException(String message, @Nullable Throwable cause) {
    super(Code.CONTENDED, message, cause);
  }

  @Override
  public ContendedException withMessage(String message) {
    return new ContendedException(message, this);
  }
}
