package dev.ralph.mcp;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the top-level members of a message that cannot be parsed, because it is invalid JSON or too
 * large for memory. Nested values are skipped even if they are invalid, because many clients write
 * the id last. Not thread-safe.
 */
final class MessageMembers {

  /** The id of a reply to a message without an id. */
  static final String NO_ID = "null";

  /** The longest string or number to keep, in bytes. */
  private static final int LONGEST_TOLD = 4_096;

  private static final int END = -1;

  private final InputStream in;
  private final byte[] buffer = new byte[8 * 1024];
  private int from;
  private int to;
  private final Map<String, Scalar> members = new HashMap<>();
  private final boolean whole;

  /** The current byte. */
  private int next;

  /**
   * A string, number or literal.
   *
   * @param json the original text
   */
  private record Scalar(String json, @Nullable Object value) {}

  /** Any other value, or an unreadable value. */
  private static final Scalar OTHER = new Scalar("", null);

  /**
   * Reads to the end of the message, or to the first invalid top-level token.
   *
   * @param text the message; not closed
   */
  MessageMembers(InputStream text) {
    this.in = text;
    this.whole = readObject();
  }

  /** Returns the id in its original JSON, or {@link #NO_ID} if no string or number is readable. */
  String id() {
    Scalar id = isAnswer() ? OTHER : members.getOrDefault("id", OTHER);
    boolean echoed =
        id.value() instanceof String
            || id.value() instanceof Long
            || id.value() instanceof BigDecimal;
    return echoed ? id.json() : NO_ID;
  }

  /**
   * Returns whether the sender may expect a reply. Returns false only if the message is certainly a
   * notification or a response.
   */
  boolean wantsAnswer() {
    boolean notification =
        !members.containsKey("id")
            && members.getOrDefault("method", OTHER).value() instanceof String
            && "2.0".equals(members.getOrDefault("jsonrpc", OTHER).value());
    return !whole || !(notification || isAnswer());
  }

  private boolean isAnswer() {
    return !members.containsKey("method")
        && (members.containsKey("result") || members.containsKey("error"));
  }

  /** Returns whether the text was a complete object. */
  private boolean readObject() {
    try {
      advance();
      skipSpace();
      if (next != '{') {
        return false;
      }
      advance();
      skipSpace();
      boolean more = next != '}';
      while (more) {
        if (next != '"') {
          return false;
        }
        Object name = readScalar().value();
        skipSpace();
        if (next != ':') {
          return false;
        }
        advance();
        skipSpace();
        Scalar value = readValue();
        skipSpace();
        if (next != ',' && next != '}') {
          return false; // a truncated number may be wrong
        }
        if (name != null) {
          members.put(name.toString(), value);
        }
        more = next == ',';
        if (more) {
          advance();
          skipSpace();
        }
      }
      advance();
      skipSpace();
      return next == END;
    } catch (IOException e) {
      return false; // the next read fails in the same way
    }
  }

  private Scalar readValue() throws IOException {
    if (next != '{' && next != '[') {
      return readScalar();
    }
    long depth = 0;
    do {
      if (next == '"') {
        readScalar();
      } else {
        if (next == '{' || next == '[') {
          depth++;
        } else if (next == '}' || next == ']') {
          depth--;
        }
        advance();
      }
    } while (depth > 0 && next != END);
    return OTHER;
  }

  private Scalar readScalar() throws IOException {
    ByteArrayOutputStream token = new ByteArrayOutputStream();
    if (next == '"') {
      do {
        if (next == '\\') {
          keep(token);
        }
        keep(token);
      } while (next != '"' && next != END);
      keep(token);
    } else {
      while (next != ',' && next != '}' && next != ']' && next != END && !isSpace()) {
        keep(token);
      }
    }
    return token.size() > LONGEST_TOLD ? OTHER : scalar(token.toByteArray());
  }

  private static Scalar scalar(byte[] token) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(token);
      String json = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return new Scalar(json, Meta.parse("{\"value\":" + json + "}").value("value"));
    } catch (CharacterCodingException | RalphException e) {
      return OTHER;
    }
  }

  private void keep(ByteArrayOutputStream token) throws IOException {
    if (next != END && token.size() <= LONGEST_TOLD) {
      token.write(next);
    }
    advance();
  }

  private void skipSpace() throws IOException {
    while (isSpace()) {
      advance();
    }
  }

  private boolean isSpace() {
    return next == ' ' || next == '\t' || next == '\r';
  }

  private void advance() throws IOException {
    if (from == to) {
      from = 0;
      to = Math.max(0, in.read(buffer));
    }
    next = from < to ? buffer[from++] & 0xFF : END;
  }
}
