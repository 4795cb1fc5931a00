package dev.ralph.cli.terminal;

import java.io.IOException;

/** Reports that the answer could not be written. */
public final class OutputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean readerGone;

  OutputException(IOException cause) {
    super("cannot write the output: " + cause.getMessage(), cause);
    this.readerGone = String.valueOf(cause.getMessage()).contains("Broken pipe");
  }

  /**
   * Returns whether the reader has closed its end, which usually means that the reader needs no
   * more.
   */
  public boolean readerGone() {
    return readerGone;
  }
}
