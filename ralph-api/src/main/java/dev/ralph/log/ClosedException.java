package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** The store, or the part of it that was used, was closed before. */
public final class ClosedException extends RalphException {

  private static final long serialVersionUID = 1L;

  ClosedException(String message, @Nullable Throwable cause) {
    super(Code.CLOSED, message, cause);
  }

  @Override
  public ClosedException withMessage(String message) {
    return new ClosedException(message, this);
  }
}
