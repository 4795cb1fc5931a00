package dev.ralph.cli.terminal;

import java.io.IOException;

/** The answer could not be written. */
public final class OutputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean readerGone;

  OutputException(IOException cause) {
    super("the answer can't be written: " + cause.getMessage(), cause);
    this.readerGone = String.valueOf(cause.getMessage()).contains("Broken pipe");
  }

  /** Returns whether nobody reads any more, which is how a reader says that it has seen enough. */
  public boolean readerGone() {
    return readerGone;
  }
}
