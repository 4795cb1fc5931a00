package dev.ralph.openspec.internal;

/** Thrown for a task that does not belong to the present story. Nothing was changed. */
public final class OtherStoryException extends RuntimeException {

  private static final long serialVersionUID = 1;

  OtherStoryException(String message) {
    super(message);
  }
}
