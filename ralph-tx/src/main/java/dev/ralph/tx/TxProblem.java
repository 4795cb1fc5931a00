package dev.ralph.tx;

/**
 * Something that a file has wrong, for a person to look at.
 *
 * @param file the name of the file
 * @param line from 1, or 0 if it is about the file as a whole
 * @param column from 1, or 0 if it is about the line as a whole
 * @param text what is wrong and what was made of it, in a line
 */
record TxProblem(String file, int line, int column, String text) {

  /** Returns it as compilers print it: {@code file:line:column: text}. */
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
