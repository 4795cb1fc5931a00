package dev.ralph.log;

import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was decided on a state: the frames to append, and the answer once they stand in the log.
 *
 * <p>The answer is made from the state after them, so that each rule is written once: the decider
 * says what to append, the fold what that means.
 *
 * @param <R> what the decision was made on
 * @param <T> the answer, which may be null
 */
public final class Decision<R, T extends @Nullable Object> {

  private final List<Draft> drafts;
  private final BiFunction<R, List<Frame>, T> reply;

  private Decision(List<Draft> drafts, BiFunction<R, List<Frame>, T> reply) {
    this.drafts = drafts;
    this.reply = reply;
  }

  /** Returns the decision that nothing needs to be done, and the answer. */
  public static <R, T extends @Nullable Object> Decision<R, T> nothing(T reply) {
    return new Decision<>(List.of(), (state, frames) -> reply);
  }

  /**
   * Returns the decision to append frames, together or not at all. An empty list means that nothing
   * needs to be done.
   *
   * @param drafts all of the scope of the ledger
   * @param reply makes the answer of the state that contains the new frames, and of these frames.
   *     If it throws, the frames were appended all the same
   */
  public static <R, T extends @Nullable Object> Decision<R, T> append(
      List<Draft> drafts, BiFunction<R, List<Frame>, T> reply) {
    Objects.requireNonNull(drafts, "drafts");
    Objects.requireNonNull(reply, "reply");
    return new Decision<>(List.copyOf(drafts), reply);
  }

  /** Returns the decision to append one frame; the answer is made of the state that contains it. */
  public static <R, T extends @Nullable Object> Decision<R, T> append(
      Draft draft, Function<R, T> reply) {
    Objects.requireNonNull(draft, "draft");
    Objects.requireNonNull(reply, "reply");
    return new Decision<>(List.of(draft), (state, frames) -> reply.apply(state));
  }

  /** Returns the frames to append; none if nothing needs to be done. */
  public List<Draft> drafts() {
    return drafts;
  }

  /**
   * Returns the answer, once the frames were appended.
   *
   * @param state the state that contains them
   * @param frames as they stand in the log, in the order of the drafts
   */
  public T reply(R state, List<Frame> frames) {
    return reply.apply(state, frames);
  }
}
