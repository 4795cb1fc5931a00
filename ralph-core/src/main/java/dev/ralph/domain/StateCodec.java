package dev.ralph.domain;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ralph.log.Fold;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the state of a fold as a sequence of values in a fixed order. Values have no names,
 * because only the version that wrote a snapshot reads it. Raise the fold's version with each
 * change of the order.
 *
 * <p>The encoding is a CBOR sequence (RFC 8742), because loading a JSON library would take a short
 * command longer than reading the snapshot.
 *
 * <p>Snapshots are not trusted. Reading a value of an unexpected kind fails, and a codec should
 * reject invalid numbers. After a failure the state is folded from the first frame.
 *
 * <p>A codec has no mutable state. Keep it in a constant. Safe for use by many threads.
 *
 * @param <S> the type of the state
 */
public abstract class StateCodec<S> implements Fold.Codec<S> {

  // The first byte of a value: the kind in the upper three bits, and in the lower five bits a
  // number or
  // the length of the number in bytes.
  private static final int POSITIVE = 0;
  private static final int NEGATIVE = 1;
  private static final int TEXT = 3;
  private static final int FALSE = 0xf4;
  private static final int TRUE = 0xf5;
  private static final int NULL = 0xf6;
  private static final int ONE_BYTE = 24;
  private static final int TWO_BYTES = 25;
  private static final int FOUR_BYTES = 26;
  private static final int EIGHT_BYTES = 27;

  /** Creates a codec. */
  protected StateCodec() {}

  /** Writes the state's values. */
  protected abstract void write(S state, Output out);

  /** Reads the values in the same order. */
  protected abstract S read(Input in) throws IOException;

  @Override
  public final byte[] encode(S state) {
    Output out = new Output(0);
    write(state, out);
    return out.toByteArray();
  }

  @Override
  public final S decode(byte[] bytes) {
    try {
      Input in = new Input(ByteBuffer.wrap(bytes));
      S state = read(in);
      in.expectEnd();
      return state;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a sequence of values. */
  public static final class Output {
    private ByteBuffer bytes;

    /**
     * @param room the number of bytes to reserve at the front
     */
    Output(int room) {
      bytes = ByteBuffer.allocate(2 * room + 1_024).position(room);
    }

    /** Writes a number. */
    public void number(long value) {
      head(value < 0 ? NEGATIVE : POSITIVE, value < 0 ? ~value : value);
    }

    /** Writes a truth value. */
    public void bool(boolean value) {
      reserve(1).put((byte) (value ? TRUE : FALSE));
    }

    /**
     * Writes a text or null.
     *
     * @throws RalphException INVALID if the text has an unpaired surrogate
     */
    public void text(@Nullable String value) {
      if (value == null) {
        reserve(1).put((byte) NULL);
      } else {
        byte[] text = RalphException.requireUnicode("a text of a state", value).getBytes(UTF_8);
        head(TEXT, text.length);
        raw(text, 0, text.length);
      }
    }

    /** Writes a kept text. */
    public void keptText(KeptText value) {
      text(value.beginning());
      number(value.length());
    }

    /** Writes a lease or null. */
    public void lease(@Nullable Lease value) {
      text(value == null ? null : value.token());
      if (value != null) {
        text(value.owner());
        text(value.since().toString());
        text(value.until().toString());
        bool(value.isHeld());
      }
    }

    private void head(int kind, long number) {
      ByteBuffer out = reserve(1 + Long.BYTES);
      int first = kind << 5;
      if (number < ONE_BYTE) {
        out.put((byte) (first | number));
      } else if (number <= 0xff) {
        out.put((byte) (first | ONE_BYTE)).put((byte) number);
      } else if (number <= 0xffff) {
        out.put((byte) (first | TWO_BYTES)).putShort((short) number);
      } else if (number <= 0xffff_ffffL) {
        out.put((byte) (first | FOUR_BYTES)).putInt((int) number);
      } else {
        out.put((byte) (first | EIGHT_BYTES)).putLong(number);
      }
    }

    private ByteBuffer reserve(int more) {
      if (bytes.remaining() < more) {
        int length = Math.addExact(bytes.position(), more);
        int larger = (int) Math.min(Integer.MAX_VALUE - 8L, 2L * bytes.capacity());
        bytes =
            ByteBuffer.wrap(Arrays.copyOf(bytes.array(), Math.max(length, larger)))
                .position(bytes.position());
      }
      return bytes;
    }

    /** Appends encoded values. */
    void raw(byte[] from, int offset, int length) {
      reserve(length).put(from, offset, length);
    }

    /** Returns the number of bytes, including the reserved bytes. */
    int size() {
      return bytes.position();
    }

    /** Returns a buffer positioned at the reserved bytes, which share the written bytes. */
    ByteBuffer front() {
      return bytes.duplicate().rewind();
    }

    byte[] toByteArray() {
      return Arrays.copyOf(bytes.array(), bytes.position());
    }
  }

  /** Reads a sequence of values. Methods fail if the next value has another kind. */
  public static final class Input {
    private final ByteBuffer bytes;

    Input(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    /** Reads a number. */
    public long number() throws IOException {
      int first = first();
      int kind = first >> 5;
      if (kind != POSITIVE && kind != NEGATIVE) {
        throw unexpected("a number", first);
      }
      long number = argument(first);
      return kind == NEGATIVE ? ~number : number;
    }

    /** Reads a number within the range of an int. */
    public int integer() throws IOException {
      return Math.toIntExact(number());
    }

    /** Reads the number of values or entries that follow. */
    public int count() throws IOException {
      int count = integer();
      if (count < 0 || count > bytes.remaining()) { // each takes at least one byte
        throw new IOException("a count of " + count);
      }
      return count;
    }

    /** Reads a truth value. */
    public boolean bool() throws IOException {
      int first = first();
      if (first != TRUE && first != FALSE) {
        throw unexpected("true or false", first);
      }
      return first == TRUE;
    }

    /** Reads a text. */
    public String text() throws IOException {
      return text(first());
    }

    /** Reads a text or null. */
    public @Nullable String textOrNull() throws IOException {
      int first = first();
      return first == NULL ? null : text(first);
    }

    private String text(int first) throws IOException {
      if (first >> 5 != TEXT) {
        throw unexpected("a text", first);
      }
      long length = argument(first);
      if (length > bytes.remaining() || length < 0) {
        throw new IOException(
            "a text of " + length + " bytes, but only " + bytes.remaining() + " bytes left");
      }
      int begin = bytes.position();
      bytes.position(begin + (int) length);
      return new String(bytes.array(), bytes.arrayOffset() + begin, (int) length, UTF_8);
    }

    /** Reads a kept text. */
    public KeptText keptText() throws IOException {
      return new KeptText(text(), integer());
    }

    /** Reads a lease or null. */
    public @Nullable Lease leaseOrNull() throws IOException {
      String token = textOrNull();
      return token == null ? null : new Lease(token, text(), time(text()), time(text()), bool());
    }

    private static Instant time(String text) throws IOException {
      Instant time = Timestamp.parse(text);
      if (time == null) {
        throw new IOException("a time expected, not " + text);
      }
      return time;
    }

    private int first() throws IOException {
      return require(1).get() & 0xff;
    }

    private long argument(int first) throws IOException {
      int low = first & 0x1f;
      switch (low) {
        case ONE_BYTE:
          return require(1).get() & 0xff;
        case TWO_BYTES:
          return require(Short.BYTES).getShort() & 0xffff;
        case FOUR_BYTES:
          return require(Integer.BYTES).getInt() & 0xffff_ffffL;
        case EIGHT_BYTES:
          return require(Long.BYTES).getLong();
        default:
          if (low > EIGHT_BYTES) {
            throw unexpected("a length", first);
          }
          return low;
      }
    }

    private ByteBuffer require(int count) throws IOException {
      if (bytes.remaining() < count) {
        throw new IOException("the values end too early");
      }
      return bytes;
    }

    private static IOException unexpected(String expected, int first) {
      return new IOException(expected + " expected, not a value with first byte " + first);
    }

    void expectEnd() throws IOException {
      if (bytes.hasRemaining()) {
        throw new IOException(bytes.remaining() + " bytes too many");
      }
    }
  }
}
