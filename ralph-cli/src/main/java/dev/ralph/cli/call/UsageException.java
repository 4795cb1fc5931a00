package dev.ralph.cli.call;

/** Reports invalid options or arguments; the message names the correct usage. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
