package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/**
 * Others kept changing what this was to be decided on, or hold it. Nothing was written.
 *
 * <p>Read the state again and decide again: a task that somebody else has claimed is no longer
 * free.
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
