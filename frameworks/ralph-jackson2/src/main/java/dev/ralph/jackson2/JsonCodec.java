package dev.ralph.jackson2;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.ralph.StepCodec;
import dev.ralph.log.Fold;
import dev.ralph.log.RalphException;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of one type to JSON by a mapper of Jackson 2: results of steps, contents of
 * frames, and states of folds. Keep the codec in a constant. Safe for use by many threads.
 *
 * <pre>{@code
 * static final JsonCodec<Order> ORDER = JsonCodec.of(mapper, Order.class);
 *
 * Receipt receipt = session.step("charge", JsonCodec.of(mapper, Receipt.class), () -> bank.charge());
 * TypedTopic<Order> orders = ralph.topic(Topic.of("shop.orders"), ORDER);
 * }</pre>
 *
 * @param <T> the type of the values
 */
public final class JsonCodec<T> implements StepCodec<T>, Fold.Codec<T> {

  private final String type;
  private final ObjectWriter writer;
  private final ObjectReader reader;

  private JsonCodec(ObjectMapper mapper, JavaType type) {
    this.type = type.toCanonical();
    this.writer = mapper.writerFor(type);
    this.reader = mapper.readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  /** Returns the codec of a class. */
  public static <T> JsonCodec<T> of(ObjectMapper mapper, Class<T> type) {
    return new JsonCodec<>(mapper, mapper.constructType(type));
  }

  /**
   * Returns the codec of a generic type, for example {@code new TypeReference<List<Order>>() {}}.
   */
  public static <T> JsonCodec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return new JsonCodec<>(mapper, mapper.getTypeFactory().constructType(type));
  }

  /**
   * Writes a value as JSON.
   *
   * @throws RalphException INVALID if the mapper can't write the value, also for too many levels
   */
  @Override
  public String write(T value) {
    try {
      return writer.writeValueAsString(value);
    } catch (Exception | StackOverflowError e) {
      throw failure("write", e);
    }
  }

  /**
   * Reads a value from JSON.
   *
   * @throws RalphException INVALID if the text is no JSON of the type, or {@code null}
   */
  @Override
  public T read(String json) {
    T value;
    try {
      value = reader.readValue(json);
    } catch (Exception | StackOverflowError e) {
      throw failure("read", e);
    }
    return required(value);
  }

  /** Writes a state as JSON in UTF-8, as {@link #write}. */
  @Override
  public byte[] encode(T state) {
    try {
      return writer.writeValueAsBytes(state);
    } catch (Exception | StackOverflowError e) {
      throw failure("write", e);
    }
  }

  /** Reads a state from JSON in UTF-8, as {@link #read}. */
  @Override
  public T decode(byte[] json) {
    T value;
    try {
      value = reader.readValue(json);
    } catch (Exception | StackOverflowError e) {
      throw failure("read", e);
    }
    return required(value);
  }

  private T required(@Nullable T value) {
    if (value == null) {
      throw RalphException.invalid("can't read " + type + " as JSON: the JSON is null");
    }
    return value;
  }

  /** Returns the report of an exception of the mapper or its modules, or of too many levels. */
  private RalphException failure(String verb, Throwable e) {
    String reason =
        e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.toString();
    return RalphException.invalid("can't " + verb + " " + type + " as JSON: " + reason, e);
  }
}
