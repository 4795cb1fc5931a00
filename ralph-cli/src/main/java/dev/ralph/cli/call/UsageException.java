package dev.ralph.cli.call;

/** The command was called in a way that it can't be; the message says what to write instead. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
