package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The questions of a session's agents to the operator. A question stays open until it is answered,
 * also across restarts, and does not block completion. The agent gets the answer as a message.
 *
 * <p>A reference to a question is its number ({@code q3}), its id, or the beginning of its id (8
 * characters or more). Methods with a reference throw {@link NotFoundException} if no object
 * matches, and {@link AmbiguousException} if several match; its message names them.
 */
public interface Questions {

  /** Asks a question that belongs to no iteration. */
  default Question ask(String text) {
    return ask(text, null, 0);
  }

  /**
   * Asks a question. If an open question has the same text, that question is returned.
   *
   * @param by the author, or null
   * @param iteration the iteration of the question, or 0
   * @throws RalphException INVALID if the text is blank or the iteration is negative
   */
  Question ask(String text, @Nullable String by, int iteration);

  /** Returns the open questions, oldest first. */
  List<Question> open();

  /** Returns all questions, oldest first. */
  List<Question> history();

  /** Returns the question with a reference. */
  Question get(String ref);

  /**
   * Waits until any process answers a question. The method marks the answer's message as read; if
   * the question belongs to an iteration, the message is read once the iteration succeeds.
   *
   * @param timeout the longest time to wait; zero or less does not wait
   * @return the question with its answer, or empty after the timeout
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  Optional<Question> await(String ref, Duration timeout) throws InterruptedException;

  /** Answers a question without an author. */
  default Question answer(String ref, String text) {
    return answer(ref, text, null);
  }

  /**
   * Answers a question, and sends the answer to the session's inbox, as one atomic step.
   *
   * @param by the author, or null
   * @throws RalphException INVALID if the text is blank or the question is answered
   */
  Question answer(String ref, String text, @Nullable String by);
}
