package dev.ralph;

import java.util.Objects;
import java.util.function.Function;

/**
 * Keeps the result of a {@linkplain Session#step step} as a text.
 *
 * @param <T> the result
 */
public interface StepCodec<T> {

  /** Returns the codec of a result that is a text. */
  static StepCodec<String> text() {
    return of(Function.identity(), Function.identity());
  }

  /** Returns a codec of two functions, such as those that write and read JSON. */
  static <T> StepCodec<T> of(Function<T, String> write, Function<String, T> read) {
    Objects.requireNonNull(write, "write");
    Objects.requireNonNull(read, "read");
    return new StepCodec<>() {
      @Override
      public String write(T result) {
        return write.apply(result);
      }

      @Override
      public T read(String text) {
        return read.apply(text);
      }
    };
  }

  /** Returns the result as a text. */
  String write(T result);

  /** Returns the result that a text stands for. */
  T read(String text);
}
