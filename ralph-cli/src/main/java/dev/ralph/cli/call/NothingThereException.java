package dev.ralph.cli.call;

/**
 * What the command was to fetch is not there yet. Nothing is wrong, and the same call may fetch it
 * later: so a script can tell it from a failure by {@link ExitCode#NOTHING}.
 */
public final class NothingThereException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public NothingThereException(String message) {
    super(message);
  }
}
