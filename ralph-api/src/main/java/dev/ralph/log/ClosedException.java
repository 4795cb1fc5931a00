package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** Thrown when a closed store, cursor or follower is used. */
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
