package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent.Waiting.Reason;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a loop waits for, to be told when the wait begins.
 *
 * @param atMost how long, or null where that depends on a person
 * @param questions the open questions that it waits for, such as {@code q1}
 */
record Wait(String message, Reason reason, @Nullable Duration atMost, List<String> questions) {

  static final Wait PAUSED = new Wait("paused", Reason.PAUSED, null, List.of());

  static Wait forAnswers(List<String> questions) {
    return new Wait(
        "waiting for "
            + (questions.size() == 1 ? "an answer to " : "answers to ")
            + String.join(", ", questions),
        Reason.QUESTIONS,
        null,
        questions);
  }

  /**
   * @param after what the pause comes after, in words
   */
  static Wait pause(Duration pause, Reason reason, String after) {
    return new Wait("waiting " + LogText.time(pause) + " after " + after, reason, pause, List.of());
  }
}
