package dev.ralph.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A fold that delegates to functions. */
final class FunctionFold<S, R> implements Fold<S, R> {

  private final String name;
  private final int version;
  private final Supplier<S> initial;
  private final BiConsumer<S, Frame> accumulator;
  private final Function<S, R> finisher;
  private final @Nullable Codec<S> codec;

  FunctionFold(
      String name,
      int version,
      Supplier<S> initial,
      BiConsumer<S, Frame> accumulator,
      Function<S, R> finisher,
      @Nullable Codec<S> codec) {
    this.name = Objects.requireNonNull(name, "name");
    this.version = version;
    this.initial = Objects.requireNonNull(initial, "initial");
    this.accumulator = Objects.requireNonNull(accumulator, "accumulator");
    this.finisher = Objects.requireNonNull(finisher, "finisher");
    this.codec = codec;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int version() {
    return version;
  }

  /** Returns the classes of the initial state's function and of the accumulator. */
  @Override
  public List<Class<?>> code() {
    List<Class<?>> code = new ArrayList<>(2);
    code.add(initial.getClass());
    code.add(accumulator.getClass());
    return code;
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

  @Override
  public Optional<Codec<S>> codec() {
    return Optional.ofNullable(codec);
  }
}
