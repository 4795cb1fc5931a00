package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** Thrown when a store, session, task, message, frame or other object does not exist. */
public final class NotFoundException extends RalphException {

  private static final long serialVersionUID = 1L;

  NotFoundException(String message, @Nullable Throwable cause) {
    super(Code.NOT_FOUND, message, cause);
  }

  @Override
  public NotFoundException withMessage(String message) {
    return new NotFoundException(message, this);
  }
}
