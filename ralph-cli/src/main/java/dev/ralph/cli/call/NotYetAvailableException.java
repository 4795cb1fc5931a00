package dev.ralph.cli.call;

/**
 * Reports that the requested data is not available yet. The call is valid and may succeed later, so
 * scripts get the separate exit code {@link ExitCode#NOTHING}.
 */
public final class NotYetAvailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NotYetAvailableException(String message) {
    super(message);
  }
}
