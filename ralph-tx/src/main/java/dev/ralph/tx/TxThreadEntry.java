package dev.ralph.tx;

import java.util.List;

/**
 * A message of a thread, with its place below the message that it answers.
 *
 * @param id the id of the message
 * @param depth how many messages lead to it; 0 for the one that began the thread
 * @param files the files that hold it, oldest first: several if a file was renamed or there is
 *     another text under the same id. None if it is missing, or was listed already
 * @param repeated whether it was listed already, because messages answer each other in a circle
 */
public record TxThreadEntry(String id, int depth, List<TxListed> files, boolean repeated) {

  /** Returns whether others answer it but no file holds it. */
  public boolean isMissing() {
    return files.isEmpty() && !repeated;
  }
}
