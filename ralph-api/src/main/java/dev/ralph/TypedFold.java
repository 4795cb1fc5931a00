package dev.ralph;

import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;

/** A fold that reads the values of a typed topic. */
final class TypedFold<T, S, R> implements Fold<S, R> {

  private final TypedTopic<T> topic;
  private final Fold<S, R> states;
  private final BiConsumer<S, TypedTopic.Entry<T>> accumulator;

  /**
   * Creates the fold.
   *
   * @param states the fold without its accumulator
   */
  TypedFold(
      TypedTopic<T> topic, Fold<S, R> states, BiConsumer<S, TypedTopic.Entry<T>> accumulator) {
    this.topic = topic;
    this.states = states;
    this.accumulator = Objects.requireNonNull(accumulator, "accumulator");
  }

  @Override
  public String name() {
    return states.name();
  }

  @Override
  public int version() {
    return states.version();
  }

  /** Returns the classes of the initial state's function and of the accumulator. */
  @Override
  public List<Class<?>> code() {
    List<Class<?>> code = new ArrayList<>(states.code());
    code.add(accumulator.getClass());
    return code;
  }

  @Override
  public S initial() {
    return states.initial();
  }

  @Override
  public S apply(S state, Frame frame) {
    accumulator.accept(state, topic.read(frame));
    return state;
  }

  @Override
  public R result(S state) {
    return states.result(state);
  }

  @Override
  public Optional<Codec<S>> codec() {
    return states.codec();
  }
}
