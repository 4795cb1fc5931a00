package dev.ralph;

import java.util.Objects;
import java.util.function.Function;

/**
 * Encodes the result of a {@linkplain Session#step step} as text.
 *
 * @param <T> the type of the result
 */
public interface StepCodec<T> {

  /** Returns the codec of text. */
  static StepCodec<String> text() {
    return of(Function.identity(), Function.identity());
  }

  /** Returns a codec of two functions, for example to write and read JSON. */
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

  /** Encodes a result. */
  String write(T result);

  /** Decodes a result. */
  T read(String text);
}
