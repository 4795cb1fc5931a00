package dev.ralph.cli;

/** The command was called in a way that it can't be; the message says what to write instead. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
