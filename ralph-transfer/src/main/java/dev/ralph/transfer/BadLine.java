package dev.ralph.transfer;

/** A line of a file is not what it should be; the message begins with its number. */
final class BadLine extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadLine(long number, String what) {
    super("line " + number + ": " + what);
  }
}
