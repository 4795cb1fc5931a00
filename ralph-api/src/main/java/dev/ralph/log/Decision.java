package dev.ralph.log;

import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@linkplain Ledger.Decider decider}: the frames to append, and a function that
 * computes the answer after the append.
 *
 * <p>The function gets the state that contains the new frames. So each rule is written once: the
 * decider chooses the frames, and the fold defines their effect.
 *
 * @param <R> the type of the state
 * @param <T> the type of the answer, which may be null
 */
public final class Decision<R, T extends @Nullable Object> {

  private final List<Draft> drafts;
  private final BiFunction<R, List<Frame>, T> reply;

  private Decision(List<Draft> drafts, BiFunction<R, List<Frame>, T> reply) {
    this.drafts = drafts;
    this.reply = reply;
  }

  /** Returns a decision to append nothing, with its answer. */
  public static <R, T extends @Nullable Object> Decision<R, T> nothing(T reply) {
    return new Decision<>(List.of(), (state, frames) -> reply);
  }

  /**
   * Returns a decision to append frames atomically. An empty list appends nothing.
   *
   * @param drafts the drafts, all of the ledger's scope
   * @param reply computes the answer from the state with the new frames and from these frames. The
   *     frames stay appended if the function throws
   */
  public static <R, T extends @Nullable Object> Decision<R, T> append(
      List<Draft> drafts, BiFunction<R, List<Frame>, T> reply) {
    Objects.requireNonNull(drafts, "drafts");
    Objects.requireNonNull(reply, "reply");
    return new Decision<>(List.copyOf(drafts), reply);
  }

  /** Returns a decision to append one frame; {@code reply} gets the state with the new frame. */
  public static <R, T extends @Nullable Object> Decision<R, T> append(
      Draft draft, Function<R, T> reply) {
    Objects.requireNonNull(draft, "draft");
    Objects.requireNonNull(reply, "reply");
    return new Decision<>(List.of(draft), (state, frames) -> reply.apply(state));
  }

  /** Returns the drafts to append; empty if the decision appends nothing. */
  public List<Draft> drafts() {
    return drafts;
  }

  /**
   * Returns the answer after the append.
   *
   * @param state the state with the new frames
   * @param frames the new frames of the log, in the order of the drafts
   */
  public T reply(R state, List<Frame> frames) {
    return reply.apply(state, frames);
  }
}
