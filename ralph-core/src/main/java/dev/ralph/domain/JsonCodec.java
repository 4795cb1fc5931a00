package dev.ralph.domain;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.ralph.log.Fold;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state of a fold as one flat JSON array: values only, in an order that writer and reader
 * agree on. A snapshot is read in one go by the version that wrote it, so names would only cost
 * room and time. Raise the fold's version whenever that order changes.
 *
 * <p>Snapshots are not trusted: reading a value of another kind than expected fails, and a codec
 * should refuse numbers that make no sense. The state is then folded from the first frame.
 *
 * <p>A codec has no state of its own, so that many threads can use it; keep it in a constant.
 *
 * @param <S> the state
 */
public abstract class JsonCodec<S> implements Fold.Codec<S> {

  /** Loaded with the first snapshot: a program that meets none does without. */
  static final class Json {
    static final JsonFactory FACTORY = new JsonFactory();
  }

  /** Makes a codec. */
  protected JsonCodec() {}

  /** Writes the state's values. */
  protected abstract void write(S state, Output out) throws IOException;

  /** Reads the values back, in the same order. */
  protected abstract S read(Input in) throws IOException;

  @Override
  public final byte[] encode(S state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator generator = Json.FACTORY.createGenerator(bytes)) {
      generator.writeStartArray();
      write(state, new Output(generator));
      generator.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  @Override
  public final S decode(byte[] bytes) {
    try (JsonParser parser = Json.FACTORY.createParser(bytes)) {
      Input in = new Input(parser);
      in.expect(JsonToken.START_ARRAY);
      S state = read(in);
      in.expect(JsonToken.END_ARRAY);
      return state;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes values one after the other. */
  public static final class Output {
    private final JsonGenerator generator;

    Output(JsonGenerator generator) {
      this.generator = generator;
    }

    /** Writes a number. */
    public void number(long value) throws IOException {
      generator.writeNumber(value);
    }

    /** Writes a truth value. */
    public void bool(boolean value) throws IOException {
      generator.writeBoolean(value);
    }

    /** Writes a text or null. */
    public void text(@Nullable String value) throws IOException {
      generator.writeString(value);
    }

    /** Writes a text as a state keeps it. */
    public void keptText(KeptText value) throws IOException {
      text(value.beginning());
      number(value.length());
    }

    /** Writes a lease or null. */
    public void lease(@Nullable Lease value) throws IOException {
      text(value == null ? null : value.token());
      if (value != null) {
        text(value.owner());
        text(value.until().toString());
        bool(value.isHeld());
      }
    }
  }

  /** Reads values one after the other; a value of another kind than asked for is a failure. */
  public static final class Input {
    private final JsonParser parser;

    Input(JsonParser parser) {
      this.parser = parser;
    }

    /** Returns the next value, a number. */
    public long number() throws IOException {
      expect(JsonToken.VALUE_NUMBER_INT);
      return parser.getLongValue();
    }

    /** Returns the next value, a number, that fits an int. */
    public int integer() throws IOException {
      return Math.toIntExact(number());
    }

    /** Returns the next value, the number of things that follow. */
    public int count() throws IOException {
      int count = integer();
      if (count < 0) {
        throw new IOException("a count of " + count);
      }
      return count;
    }

    /** Returns the next value, a truth value. */
    public boolean bool() throws IOException {
      JsonToken token = parser.nextToken();
      if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
        throw new IOException("true or false expected, not " + token);
      }
      return token == JsonToken.VALUE_TRUE;
    }

    /** Returns the next value, a text. */
    public String text() throws IOException {
      expect(JsonToken.VALUE_STRING);
      return parser.getText();
    }

    /** Returns the next value, a text or null. */
    public @Nullable String textOrNull() throws IOException {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.VALUE_NULL) {
        return null;
      }
      if (token != JsonToken.VALUE_STRING) {
        throw new IOException("a text expected, not " + token);
      }
      return parser.getText();
    }

    /** Returns the next value, a text as a state keeps it. */
    public KeptText keptText() throws IOException {
      return new KeptText(text(), integer());
    }

    /** Returns the next value, a lease or null. */
    public @Nullable Lease leaseOrNull() throws IOException {
      String token = textOrNull();
      return token == null ? null : new Lease(token, text(), time(text()), bool());
    }

    private static Instant time(String text) throws IOException {
      Instant time = Timestamp.parse(text);
      if (time == null) {
        throw new IOException("a time expected, not " + text);
      }
      return time;
    }

    void expect(JsonToken expected) throws IOException {
      JsonToken token = parser.nextToken();
      if (token != expected) {
        throw new IOException(expected + " expected, not " + token);
      }
    }
  }
}
