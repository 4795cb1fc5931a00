package dev.ralph;

import java.util.List;
import java.util.Optional;

/** The iterations of a session. Only the loop changes them. */
public interface IterationLog {

  /** Returns all iterations, oldest first. */
  List<Iteration> list();

  /** Returns the newest iteration. */
  Optional<Iteration> last();

  /** Returns what all iterations together used. */
  Usage usage();

  /**
   * Returns what the agent printed in an iteration, as far as it was kept.
   *
   * @param number the iteration
   * @return the text, empty if there is none
   * @throws NotFoundException if there is no iteration of that number
   */
  String transcript(int number);
}
