package dev.ralph;

import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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
  default String transcript(int number) {
    StringBuilder text = new StringBuilder();
    transcript(number, text::append);
    return text.toString();
  }

  /**
   * Reads what the agent printed in an iteration, as far as it was kept, a piece at a time: it may
   * be 32 MB.
   *
   * @param number the iteration
   * @param reader is given each piece in order, by this thread; none if there is no text. One ends
   *     with a line break or in the middle of a line, never in the middle of a character
   * @throws RalphException NOT_FOUND if there is no iteration of that number; then the reader was
   *     given nothing
   */
  void transcript(int number, Consumer<? super String> reader);

  /**
   * Reads the record of an iteration, an entry at a time: what the agent was asked, did and used.
   *
   * @param number the iteration
   * @param reader is given each entry in order, by this thread; none if no record was kept
   * @throws RalphException NOT_FOUND if there is no iteration of that number; then the reader was
   *     given nothing
   */
  void record(int number, Consumer<? super RecordEntry> reader);
}
