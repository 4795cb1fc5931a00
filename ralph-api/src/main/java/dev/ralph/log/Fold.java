package dev.ralph.log;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A state as a function of the log: where it starts, what one frame makes of it, and what is shown
 * of it. Shaped like a {@link java.util.stream.Collector}, but it goes on as the log grows.
 *
 * <p>A fold sees the frames of its view one by one, in order, and must depend on nothing else, not
 * on the time of day either: a result that depends on the time takes it as an argument. It must
 * ignore frames that it does not understand, because a newer program may have written them.
 *
 * @param <S> the state; a fold may change it in place
 * @param <R> what is shown, which no later frame may change
 */
public interface Fold<S, R> {

  /**
   * Returns the name that its snapshots are kept by, together with the version and the topics. Give
   * it a name of your own, such as {@code org.example.reservations}, with the parameters in it if
   * the fold has any.
   */
  String name();

  /** Returns a number to raise whenever the state or its encoding changes its meaning. */
  int version();

  /**
   * Returns the classes that the fold is made of. They tell two folds apart that have the same
   * name, version and topics, because a snapshot of one would be wrong for the other. A program
   * that uses both is refused, and a program that uses one never reads a snapshot of the other.
   *
   * <p>A fold that wraps another one and makes the same state returns the classes of that one.
   */
  default List<Class<?>> code() {
    return List.of(getClass());
  }

  /** Returns a new state, of no frames. */
  S initial();

  /**
   * Returns the state with one more frame.
   *
   * <p>If the frame's content is lost, let {@link Frame#content()} throw: the view notes the damage
   * and goes on with the state that was given. So a fold that changes its state in place reads the
   * content before it changes what depends on it.
   *
   * <p>Pass over a frame that you can't use: the log keeps it for ever, so a fold that throws at it
   * has no state from then on. What it throws comes out of each look at the state, with the fold
   * and the frame in its message.
   *
   * @param state may be changed and returned
   */
  S apply(S state, Frame frame);

  /** Returns what is shown of the state. */
  R result(S state);

  /**
   * Returns how the state is kept in snapshots; empty means that it is always folded from the
   * start.
   */
  default Optional<Codec<S>> codec() {
    return Optional.empty();
  }

  /** Turns a state into bytes and back. */
  interface Codec<S> {

    /** Returns the state as bytes. */
    byte[] encode(S state);

    /**
     * Returns the state that the bytes stand for.
     *
     * @throws RuntimeException of any kind if they are not of this version; the state is then
     *     folded from the start
     */
    S decode(byte[] bytes);
  }

  /**
   * Returns a fold without snapshots, of a state that is changed in place.
   *
   * @param name see {@link #name()}
   * @param initial makes a new state
   * @param accumulator changes the state by one frame
   * @param finisher returns what is shown, which no later frame may change: a copy, if need be
   */
  static <S, R> Fold<S, R> of(
      String name, Supplier<S> initial, BiConsumer<S, Frame> accumulator, Function<S, R> finisher) {
    return new FunctionFold<>(name, 1, initial, accumulator, finisher, null);
  }

  /**
   * Returns a fold with snapshots, of a state that is changed in place: a program that opens the
   * store need not read again what others have folded. It pays where a topic has thousands of
   * frames. Keep the fold in a constant.
   *
   * @param name see {@link #name()}
   * @param version see {@link #version()}
   * @param initial makes a new state
   * @param accumulator changes the state by one frame
   * @param finisher returns what is shown, which no later frame may change: a copy, if need be
   * @param codec how the state is kept; {@code dev.ralph.domain.StateCodec} is one to begin with
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
