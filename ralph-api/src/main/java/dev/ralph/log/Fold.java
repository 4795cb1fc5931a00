package dev.ralph.log;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Computes a state from the frames of a log: an initial state, a function to apply a frame, and a
 * function to return the result. Similar to a {@link java.util.stream.Collector}, but the fold
 * continues as the log grows.
 *
 * <p>A fold gets the view's frames individually, in order. Its state must depend on nothing but the
 * frames, so not on the clock either; a result that depends on the time takes the time as an
 * argument. A fold must ignore unknown frames, because a newer program may have written them.
 *
 * @param <S> the type of the state, which the fold may change in place
 * @param <R> the type of the result, which later frames must not change
 */
public interface Fold<S, R> {

  /**
   * Returns the name of the fold. Snapshots are stored under the name, the version and the topics.
   * Use a unique name such as {@code org.example.reservations}, and add the fold's parameters to
   * the name if it has any.
   */
  String name();

  /** Returns the version. Raise it with each change of the state's meaning or encoding. */
  int version();

  /**
   * Returns the classes that compute the state. They distinguish two folds with the same name,
   * version and topics, because a snapshot of one fold would be wrong for the other. A program with
   * both folds is refused, and a program with either fold never reads a snapshot of the other fold.
   *
   * <p>A fold that wraps another fold and computes the same state returns the classes of the
   * wrapped fold.
   */
  default List<Class<?>> code() {
    return List.of(getClass());
  }

  /** Returns a new state, before the first frame. */
  S initial();

  /**
   * Applies one frame and returns the new state.
   *
   * <p>Do not catch the exception of {@link Frame#content()} if the content is damaged. The view
   * records the damage and continues with the state before the frame. Therefore a fold with a
   * mutable state must read the content before the first change.
   *
   * <p>Ignore a frame that the fold can't use. The log keeps the frame forever, so a fold that
   * throws has no state from then on: every read of the state throws the exception, with the fold
   * and the frame in its message.
   *
   * @param state the state before the frame, which may be changed and returned
   */
  S apply(S state, Frame frame);

  /** Returns the result of a state. */
  R result(S state);

  /**
   * Returns the codec of snapshots, or empty if the state is always folded from the first frame.
   */
  default Optional<Codec<S>> codec() {
    return Optional.empty();
  }

  /** Encodes and decodes a state. */
  interface Codec<S> {

    /** Encodes a state. */
    byte[] encode(S state);

    /**
     * Decodes a state.
     *
     * @throws RuntimeException of any class if the bytes are of another version; the caller then
     *     folds from the first frame
     */
    S decode(byte[] bytes);
  }

  /**
   * Returns a fold without snapshots that changes its state in place.
   *
   * @param name see {@link #name()}
   * @param initial returns a new state
   * @param accumulator applies one frame to the state
   * @param finisher returns the result, which later frames must not change: copy mutable parts
   */
  static <S, R> Fold<S, R> of(
      String name, Supplier<S> initial, BiConsumer<S, Frame> accumulator, Function<S, R> finisher) {
    return new FunctionFold<>(name, 1, initial, accumulator, finisher, null);
  }

  /**
   * Returns a fold with snapshots that changes its state in place. A program that opens the store
   * starts from the newest snapshot. Snapshots pay off for topics with thousands of frames. Keep
   * the fold in a constant.
   *
   * @param name see {@link #name()}
   * @param version see {@link #version()}
   * @param initial returns a new state
   * @param accumulator applies one frame to the state
   * @param finisher returns the result, which later frames must not change: copy mutable parts
   * @param codec the codec of snapshots, for example {@code dev.ralph.domain.StateCodec}
   */
  static <S, R> Fold<S, R> of(
      String name,
      int version,
      Supplier<S> initial,
      BiConsumer<S, Frame> accumulator,
      Function<S, R> finisher,
      Codec<S> codec) {
    Objects.requireNonNull(codec, "codec");
    return new FunctionFold<>(name, version, initial, accumulator, finisher, codec);
  }
}
