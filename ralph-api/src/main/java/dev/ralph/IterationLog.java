package dev.ralph;

import dev.ralph.log.FrameLog;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The iterations of a session. Only loops add iterations. */
public interface IterationLog {

  /** Returns all iterations, oldest first. */
  List<Iteration> list();

  /** Returns the newest iteration. */
  Optional<Iteration> last();

  /**
   * Returns the newest running iteration of an agent.
   *
   * @param agent the number of the agent; 0 for any agent
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

  /** Returns the total usage of all iterations. */
  Usage usage();

  /**
   * Returns the kept output of the agent in an iteration.
   *
   * @param number the number of the iteration
   * @return the output; empty if none was kept
   * @throws NotFoundException if the iteration does not exist
   */
  default String transcript(int number) {
    StringBuilder text = new StringBuilder();
    transcript(number, text::append);
    return text.toString();
  }

  /**
   * Reads the kept output of the agent in an iteration, up to 32 MB, in pieces.
   *
   * @param number the number of the iteration
   * @param reader gets each piece in order, on this thread. A piece may end in the middle of a
   *     line, but never in the middle of a character
   * @throws RalphException NOT_FOUND if the iteration does not exist; the reader gets nothing
   */
  void transcript(int number, Consumer<? super String> reader);

  /**
   * Reads the record of an iteration: the prompt, the actions and the usage of the agent.
   *
   * @param number the number of the iteration
   * @param reader gets each entry in order, on this thread; none if no record was kept
   * @throws RalphException NOT_FOUND if the iteration does not exist; the reader gets nothing
   */
  void record(int number, Consumer<? super RecordEntry> reader);

  /**
   * Erases the record and the output of an iteration permanently, as far as they are written. The
   * iteration itself, its status and its usage stay. No folded state depends on the erased frames.
   *
   * @return the number of erased frames
   * @throws RalphException NOT_FOUND if the iteration does not exist; otherwise as {@link
   *     FrameLog#erase(java.util.Collection)}
   */
  int erase(int number);

  /**
   * Erases the records of all iterations before a time permanently, but not the output.
   *
   * @return the number of erased frames
   * @throws RalphException as {@link FrameLog#erase(java.util.Collection)}
   */
  int eraseRecords(Instant before);
}
