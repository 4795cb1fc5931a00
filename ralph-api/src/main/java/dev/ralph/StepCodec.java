package dev.ralph;

import java.util.Objects;
import java.util.function.Function;

/**
 * Encodes the result of a {@linkplain Session#step step}, or a value of a {@linkplain TypedTopic
 * topic}, as text. The modules {@code ralph-jackson2} and {@code ralph-jackson3} have codecs for
 * JSON.
 *
 * @param <T> the type of the result
 */
public interface StepCodec<T> {

  /** Returns the codec of text. */
  static StepCodec<String> text() {
    return of(Function.identity(), Function.identity());
  }

  /**
   * Returns a codec of two functions, for example {@code StepCodec.of(String::valueOf,
   * Integer::valueOf)}.
   */
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

  /**
   * Encodes a value.
   *
   * @return any text, not null
   */
  String write(T result);

  /**
   * Decodes a value.
   *
   * @return the value, not null
   * @throws RuntimeException of any class if the text is unreadable
   */
  T read(String text);
}
