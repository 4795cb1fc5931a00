package dev.ralph.log;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A state as a function of the log: where it starts, what one frame makes of it, and what is shown
 * of it. Shaped like a {@link java.util.stream.Collector}, but it goes on as the log grows.
 *
 * <p>A fold sees the frames of its view one by one, in order, and must depend on nothing else, not
 * on the time of day either: whatever depends on time takes it as an argument where the result is
 * asked. It must ignore frames that it does not understand, because a newer program may have
 * written them.
 *
 * @param <S> the state; a fold may change it in place
 * @param <R> what is shown, which no later frame may change
 */
public interface Fold<S, R> {

  /** Returns the name that its snapshots are kept by, unique in the program. */
  String name();

  /** Returns a number to raise whenever the state or its encoding changes its meaning. */
  int version();

  /** Returns a new state, of no frames. */
  S initial();

  /**
   * Returns the state with one more frame.
   *
   * <p>Where the frame's content is lost, let {@link Frame#content()} fail: the view notes the
   * damage, and goes on with the state that was given. So a fold that changes the state in place
   * asks for the content before it changes what depends on it.
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
   * @param name unique in the program
   * @param initial makes a new state
   * @param accumulator changes the state by one frame
   * @param finisher returns what is shown
   */
  static <S, R> Fold<S, R> of(
      String name, Supplier<S> initial, BiConsumer<S, Frame> accumulator, Function<S, R> finisher) {
    return new Fold<>() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int version() {
        return 1;
      }

      @Override
      public S initial() {
        return initial.get();
      }

      @Override
      public S apply(S state, Frame frame) {
        accumulator.accept(state, frame);
        return state;
      }

      @Override
      public R result(S state) {
        return finisher.apply(state);
      }
    };
  }
}
