package dev.ralph;

import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The iterations of a session. Only the loop adds to them. */
public interface IterationLog {

  /** Returns all iterations, oldest first. */
  List<Iteration> list();

  /** Returns the newest iteration. */
  Optional<Iteration> last();

  /**
   * Returns the newest iteration that has no end yet: of one of several agents, or of any.
   *
   * @param agent its number, 0 for any
   */
  default Optional<Iteration> running(int agent) {
    List<Iteration> all = list();
    for (int i = all.size() - 1; i >= 0; i--) {
      Iteration iteration = all.get(i);
      if (iteration.status() == Iteration.Status.RUNNING
          && (agent == 0 || agent == iteration.agent())) {
        return Optional.of(iteration);
      }
    }
    return Optional.empty();
  }

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

  /**
   * Erases for good what the agent of an iteration was asked, said and did: the record and the
   * transcript, as far as they are written. That there was the iteration, how it ended and what it
   * used stays. No state depends on what is erased.
   *
   * @return how many frames were erased
   * @throws RalphException NOT_FOUND if there is no iteration of that number; else as {@link
   *     FrameLog#erase(java.util.Collection)}
   */
  int erase(int number);

  /**
   * Erases for good what was recorded before that time: the records alone, not the transcripts.
   *
   * @return how many frames were erased
   * @throws RalphException as {@link FrameLog#erase(java.util.Collection)}
   */
  int eraseRecords(Instant before);
}
