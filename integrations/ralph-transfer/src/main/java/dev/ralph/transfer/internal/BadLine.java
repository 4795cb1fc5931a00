package dev.ralph.transfer.internal;

/** An invalid line of a file. The message begins with the line number. */
final class BadLine extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadLine(long number, String problem) {
    super("line " + number + ": " + problem);
  }
}
