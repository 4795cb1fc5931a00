package dev.ralph.agentmail;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A parsed line of a mailbox.
 *
 * @param message the message, or null for none
 * @param begin the index of the message in the bytes; the message extends to the end of the line
 * @param flagAt the index of the value of the message's read_flag; -1 for none
 * @param fault the problem of the line, or null; a faulty line may still contain a message
 */
record MailLine(@Nullable AgentMessage message, int begin, int flagAt, @Nullable String fault) {

  private static final byte[] FLAG = "\"read_flag\"".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BEGIN = "{\"id\":".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);

  /** Parses a line that is not blank. */
  static MailLine of(byte[] bytes, int from, int to) {
    MailLine line = object(bytes, from, to);
    if (line.message == null) {
      // A complete message may follow the incomplete one of a killed writer.
      int second = lastIndexOf(BEGIN, bytes, from + 1, to);
      MailLine rest = second < 0 ? line : object(bytes, second, to);
      if (rest.message != null) {
        return new MailLine(rest.message, second, rest.flagAt, line.fault);
      }
    }
    return line;
  }

  private static MailLine object(byte[] bytes, int from, int to) {
    try {
      Meta json = Meta.parse(new String(bytes, from, to - from, StandardCharsets.UTF_8));
      AgentMessage message = AgentMessage.of(json);
      int flagAt = json.value("read_flag") == null ? -1 : flagAt(bytes, from, to);
      return message == null
          ? new MailLine(
              null,
              from,
              -1,
              "id, from, to or message is missing, or read_flag is neither true nor false")
          : new MailLine(message, from, flagAt, null);
    } catch (RalphException noJson) {
      return new MailLine(null, from, -1, String.valueOf(noJson.getMessage()));
    }
  }

  /** Returns the JSON object with read_flag true, for an object without this member. */
  static String read(byte[] bytes, int from, int to) {
    String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    return Meta.parse(text).with("read_flag", true).json();
  }

  /** Returns the index of the value of the object's own read_flag, or -1. */
  private static int flagAt(byte[] bytes, int from, int to) {
    int depth = 0;
    int at = from;
    while (at < to) {
      switch (bytes[at]) {
        case '{', '[' -> depth++;
        case '}', ']' -> depth--;
        case '"' -> {
          int value = depth == 1 ? valueOfFlag(bytes, at, to) : -1;
          if (value >= 0) {
            return value;
          }
          at = closingQuote(bytes, at, to);
        }
        default -> {
          // skip every byte that is neither a brace nor a quote
        }
      }
      at++;
    }
    return -1;
  }

  private static int closingQuote(byte[] bytes, int open, int to) {
    int at = open + 1;
    while (at < to && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  /** Returns the index of the value if the member read_flag starts at the given index, else -1. */
  private static int valueOfFlag(byte[] bytes, int at, int to) {
    if (!isAt(FLAG, bytes, at, to)) {
      return -1;
    }
    int colon = skipSpace(bytes, at + FLAG.length, to);
    return colon < to && bytes[colon] == ':' ? skipSpace(bytes, colon + 1, to) : -1;
  }

  /**
   * Returns true only if the line is a complete and read message, so that most lines of a large
   * mailbox are skipped without parsing. False means unknown.
   */
  static boolean isSurelyRead(MailLines line) {
    if (line.isOneObject() && line.endsAsRead()) {
      return true;
    }
    byte[] bytes = line.bytes();
    int from = line.from();
    int to = line.to();
    int end = to > from && bytes[to - 1] == '\r' ? to - 2 : to - 1;
    if (end <= from || bytes[end] != '}') {
      return false;
    }
    int flag = end;
    while (flag > from && !isAt(FLAG, bytes, flag, to)) {
      byte b = bytes[--flag];
      if (b == '{' || b == '}' || b == '[' || b == ']') {
        return false; // the flag may belong to a nested object
      }
    }
    int value = valueOfFlag(bytes, flag, to);
    return value >= 0
        && isAt(TRUE, bytes, value, to)
        && (line.isOneObject() || (bytes[from] == '{' && lastIndexOf(FLAG, bytes, from, flag) < 0));
  }

  private static int lastIndexOf(byte[] word, byte[] bytes, int from, int to) {
    int at = to - word.length;
    while (at >= from && !isAt(word, bytes, at, to)) {
      at--;
    }
    return at >= from ? at : -1;
  }

  private static boolean isAt(byte[] word, byte[] bytes, int at, int to) {
    if (bytes[at] != word[0] || to - at < word.length) {
      return false;
    }
    for (int i = 1; i < word.length; i++) {
      if (bytes[at + i] != word[i]) {
        return false;
      }
    }
    return true;
  }

  static boolean isBlank(byte[] bytes, int from, int to) {
    return skipSpace(bytes, from, to) == to;
  }

  private static int skipSpace(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r')) {
      at++;
    }
    return at;
  }
}
