package dev.ralph.tx;

/**
 * A problem of a file, for people.
 *
 * @param file the name of the file
 * @param line the line from 1, or 0 if the problem concerns the whole file
 * @param column the column from 1, or 0 if the problem concerns the whole line
 * @param text the problem and its consequence, in a single line
 */
record TxProblem(String file, int line, int column, String text) {

  /** Returns the problem in the format of compilers: {@code file:line:column: text}. */
  @Override
  public String toString() {
    StringBuilder all = new StringBuilder(OneLine.visible(file));
    if (line > 0) {
      all.append(':').append(line);
    }
    if (column > 0) {
      all.append(':').append(column);
    }
    return all.append(": ").append(text).toString();
  }
}
