package dev.ralph.log;

import org.jspecify.annotations.Nullable;

/** Thrown when stored data is damaged. All other data of the store can still be read. */
public final class DamagedException extends RalphException {

  private static final long serialVersionUID = 1L;

  DamagedException(String message, @Nullable Throwable cause) {
    super(Code.DAMAGED, message, cause);
  }

  @Override
  public DamagedException withMessage(String message) {
    return new DamagedException(message, this);
  }
}
