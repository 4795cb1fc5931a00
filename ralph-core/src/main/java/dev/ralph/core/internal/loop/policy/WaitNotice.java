package dev.ralph.core.internal.loop.policy;

import dev.ralph.Control.Activity;
import dev.ralph.core.internal.text.LogText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A description of a wait for the listeners.
 *
 * @param atMost the longest duration; null if it depends on a person
 * @param open the open questions, such as {@code q1}, if the run waits for answers
 */
public record WaitNotice(
    String message, Activity.Kind reason, @Nullable Duration atMost, List<String> open) {

  /** The notice of a paused session. */
  static final WaitNotice PAUSED = new WaitNotice("paused", Activity.Kind.PAUSED, null, List.of());

  /** Returns the notice of a wait for answers. */
  static WaitNotice questions(List<String> open) {
    String answers = open.size() == 1 ? "an answer to " : "answers to ";
    String message = "waiting for " + answers + String.join(", ", open);
    return new WaitNotice(message, Activity.Kind.QUESTIONS, null, open);
  }

  /** Returns the notice of a delay after an iteration. */
  static WaitNotice delay(Duration pause, Activity.Kind reason, String after) {
    String message = "waiting " + LogText.time(pause) + " after " + after;
    return new WaitNotice(message, reason, pause, List.of());
  }
}
