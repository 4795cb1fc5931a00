package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What agents ask the operator of a session. A question stays open, over restarts and for as long
 * as it takes, until it is answered; the answer comes to the agent as a message.
 *
 * <p>A reference to a question is its number ({@code q3}), its id, or the beginning of its id (8
 * characters or more). A method given a reference throws {@link NotFoundException} or {@link
 * AmbiguousException}, the message naming the candidates.
 */
public interface Questions {

  /** Asks outside any iteration. */
  default Question ask(String text) {
    return ask(text, null, 0);
  }

  /**
   * Asks. A question that is open in the same words is not asked again, but returned.
   *
   * @param by who asks, or null
   * @param iteration the iteration that asks, or 0
   * @throws RalphException INVALID if the text is blank or the iteration is negative
   */
  Question ask(String text, @Nullable String by, int iteration);

  /** Returns the questions that wait for an answer, oldest first. */
  List<Question> open();

  /** Returns all questions, oldest first. */
  List<Question> history();

  /** Returns the question referred to. */
  Question get(String ref);

  /**
   * Waits until a question is answered, by any process. The answer itself wakes the wait, and the
   * message that carries it is marked as read; if the question was asked in an iteration, that
   * counts once the iteration succeeds.
   *
   * @param timeout how long to wait at the most; zero or less does not wait
   * @return the question with its answer, or empty if there was none in time
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  Optional<Question> await(String ref, Duration timeout) throws InterruptedException;

  /** Answers a question without saying who does. */
  default Question answer(String ref, String text) {
    return answer(ref, text, null);
  }

  /**
   * Answers a question, and sends the answer to the session's inbox: both or neither.
   *
   * @param by who answers, or null
   * @throws RalphException INVALID if the text is blank, or the question was answered before
   */
  Question answer(String ref, String text, @Nullable String by);
}
