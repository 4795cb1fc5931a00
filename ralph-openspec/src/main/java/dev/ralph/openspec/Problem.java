package dev.ralph.openspec;

import java.nio.file.Path;

/**
 * Something in a change that is not as it should be. What can be read is read all the same.
 *
 * @param file where it stands, as seen from the change's folder
 * @param line its line, from 1; 0 for the file as a whole
 * @param message what is wrong and what to do
 */
public record Problem(Path file, int line, String message) {

  @Override
  public String toString() {
    return file + (line == 0 ? "" : ":" + line) + ": " + message;
  }
}
