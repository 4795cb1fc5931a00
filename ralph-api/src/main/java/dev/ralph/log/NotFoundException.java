package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** There is no such thing: no store, session, task, message, frame or the like. */
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
