package dev.ralph.openspec;

/** A task was named that is not of the story that is worked on. Nothing was changed. */
public final class OtherStoryException extends RuntimeException {

  private static final long serialVersionUID = 1;

  OtherStoryException(String message) {
    super(message);
  }
}
