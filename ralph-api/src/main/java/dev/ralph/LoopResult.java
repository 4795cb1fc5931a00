package dev.ralph;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import org.jspecify.annotations.Nullable;

/**
 * The result of a loop.
 *
 * @param reason the reason of the end
 * @param iterations the number of iterations that this run began
 * @param usage the total usage of these iterations
 * @param detail details for people, in one or more lines, or null: for example the work left, or
 *     the reason of the last failure
 */
public record LoopResult(StopReason reason, int iterations, Usage usage, @Nullable String detail) {

  /**
   * Returns the result as JSON: {@code reason}, {@code detail} unless it is null, {@code
   * iterations}, {@code usage}. Jackson serializes the result as this object.
   */
  @JsonValue
  public Meta json() {
    return Meta.of("reason", reason.word())
        .with("detail", detail == null ? null : UnicodeText.of(detail))
        .with("iterations", iterations)
        .with("usage", usage.json());
  }

  @Override
  public String toString() {
    return reason.word()
        + " after "
        + iterations
        + (iterations == 1 ? " iteration" : " iterations")
        + (detail == null ? "" : ": " + detail);
  }
}
