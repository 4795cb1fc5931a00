package dev.ralph.log;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Validates JSON and finds the members of an object, for {@link Meta}. The module has no dependency
 * at run time, and a fold reads two or three members of millions of frames, so members are located
 * and not parsed.
 */
final class JsonText {

  static final int MAX_DEPTH = 100;

  /**
   * The maximum length of an exact number in characters. Longer numbers become doubles, because the
   * time to parse a decimal grows quadratically.
   */
  static final int LONGEST_EXACT = 1_000;

  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private final String text;
  private final StringBuilder compact;
  private int at;

  private JsonText(String text) {
    this.text = text;
    this.compact = new StringBuilder(text.length());
  }

  // ---- validating untrusted text

  /** Validates that the text is one JSON object, and returns the text without white space. */
  static String compactObject(String text) {
    RalphException.requireUnicode("meta", text);
    JsonText reader = new JsonText(text);
    reader.skipSpace();
    if (reader.at >= text.length() || text.charAt(reader.at) != '{') {
      throw reader.wrong("a JSON object must begin with {");
    }
    reader.value(0);
    reader.skipSpace();
    if (reader.at < text.length()) {
      throw reader.wrong("nothing may follow the JSON object");
    }
    return reader.compact.toString();
  }

  private void value(int depth) {
    skipSpace();
    if (depth > MAX_DEPTH) {
      throw wrong("more than " + MAX_DEPTH + " levels");
    }
    switch (peek()) {
      case '{' -> members('}', depth);
      case '[' -> members(']', depth);
      case '"' -> string();
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    }
  }

  private void members(char close, int depth) {
    take();
    skipSpace();
    if (peek() == close) {
      take();
      return;
    }
    while (true) {
      skipSpace();
      if (close == '}') {
        if (peek() != '"') {
          throw wrong("a member's name in quotes is missing");
        }
        string();
        skipSpace();
        if (peek() != ':') {
          throw wrong("a colon is missing");
        }
        take();
      }
      value(depth + 1);
      skipSpace();
      char next = peek();
      if (next != ',' && next != close) {
        throw wrong("a comma or " + close + " is missing");
      }
      take();
      if (next == close) {
        return;
      }
    }
  }

  private void string() {
    take();
    while (peek() != '"') {
      char c = peek();
      if (c < ' ') {
        throw wrong("a control character in a string must be escaped");
      }
      take();
      if (c == '\\') {
        char escaped = peek();
        take();
        if (escaped == 'u') {
          for (int i = 0; i < 4; i++) {
            if (!isHexadecimal(peek())) {
              throw wrong("\\u needs four hexadecimal digits");
            }
            take();
          }
        } else if ("\"\\/bfnrt".indexOf(escaped) < 0) {
          throw wrong("unknown escape");
        }
      }
    }
    take();
  }

  /** Accepts ASCII only; {@link Character#digit} also accepts digits of other scripts. */
  private static boolean isHexadecimal(char c) {
    return c < 0x80 && Character.digit(c, 16) >= 0;
  }

  private void word(String word) {
    if (!text.startsWith(word, at)) {
      throw wrong("unknown word");
    }
    compact.append(word);
    at += word.length();
  }

  private void number() {
    if (peek() == '-') {
      take();
    }
    if (peek() == '0') {
      take();
    } else {
      digits();
    }
    if (at < text.length() && text.charAt(at) == '.') {
      take();
      digits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      take();
      if (peek() == '+' || peek() == '-') {
        take();
      }
      digits();
    }
  }

  private void digits() {
    if (peek() < '0' || peek() > '9') {
      throw wrong("a value is missing");
    }
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      take();
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("the text ends too early");
    }
    return text.charAt(at);
  }

  private void take() {
    compact.append(peek());
    at++;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private RalphException wrong(String what) {
    return RalphException.invalid(
        "not a JSON object: " + what + " at character " + at + " of " + RalphException.quote(text));
  }

  /** Formats a time in UTC with three digits of milliseconds. */
  static String time(Instant time) {
    return TimeFormat.UTC_MILLIS.format(time);
  }

  /** Loaded on demand, because short commands don't format times. */
  private static final class TimeFormat {
    static final DateTimeFormatter UTC_MILLIS =
        new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);
  }

  // ---- reading validated text

  /** Returns the offsets of the members of a compact object; see {@link Meta}. */
  static int[] membersOf(String json) {
    int[] found = new int[24];
    int count = 0;
    int at = 1;
    while (json.charAt(at) != '}') {
      if (count == found.length) {
        found = Arrays.copyOf(found, count * 2);
      }
      int keyEnd = endOfString(json, at);
      found[count] = at + 1;
      found[count + 1] = keyEnd - 1;
      found[count + 2] = keyEnd + 1;
      at = endOfValue(json, keyEnd + 1);
      found[count + 3] = at;
      count += 4;
      if (json.charAt(at) == ',') {
        at++;
      }
    }
    return Arrays.copyOf(found, count);
  }

  static List<String> stringsOf(String json, int from, int to) {
    List<String> strings = new ArrayList<>();
    int at = from + 1;
    while (json.charAt(from) == '[' && at < to - 1) {
      int end = endOfValue(json, at);
      if (json.charAt(at) == '"') {
        strings.add(unescape(json, at + 1, end - 1));
      }
      at = end + 1;
    }
    return strings;
  }

  /** Returns the value in a range of the text; see {@link Meta#value}. */
  static @Nullable Object valueOf(String json, int from, int to) {
    return switch (json.charAt(from)) {
      case '"' -> unescape(json, from + 1, to - 1);
      case '{' -> Meta.stored(json.substring(from, to));
      case '[' -> elementsOf(json, from, to);
      case 't' -> true;
      case 'f' -> false;
      case 'n' -> null;
      default -> numberOf(json.substring(from, to));
    };
  }

  private static List<Object> elementsOf(String json, int from, int to) {
    List<Object> elements = new ArrayList<>();
    int at = from + 1;
    while (at < to - 1) {
      int end = endOfValue(json, at);
      elements.add(valueOf(json, at, end));
      at = end + 1;
    }
    return elements;
  }

  /** Returns the whole number in a range of the text; see {@link Meta#integer}. */
  static OptionalLong integerOf(String json, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = json.charAt(i);
      if (c == '.' || c == 'e' || c == 'E') {
        return to - from > LONGEST_EXACT ? OptionalLong.empty() : wholeOf(json.substring(from, to));
      }
    }
    try {
      return OptionalLong.of(Long.parseLong(json, from, to, 10));
    } catch (NumberFormatException notALong) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong wholeOf(String decimal) {
    try {
      return OptionalLong.of(new BigDecimal(decimal).longValueExact());
    } catch (ArithmeticException | NumberFormatException notWholeOrBeyondAllBounds) {
      return OptionalLong.empty();
    }
  }

  private static Number numberOf(String text) {
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException notALong) {
      if (text.length() > LONGEST_EXACT) {
        return Double.valueOf(text);
      }
    }
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException beyondAllBounds) {
      return Double.valueOf(text);
    }
  }

  private static int endOfValue(String json, int from) {
    int depth = 0;
    int at = from;
    while (true) {
      switch (json.charAt(at)) {
        case '"' -> at = endOfString(json, at) - 1;
        case '{', '[' -> depth++;
        case '}', ']' -> {
          if (depth == 0) {
            return at;
          }
          depth--;
        }
        case ',' -> {
          if (depth == 0) {
            return at;
          }
        }
        default -> {
          // part of a number or a word
        }
      }
      at++;
    }
  }

  private static int endOfString(String json, int open) {
    int quote = json.indexOf('"', open + 1); // faster than a loop here
    while (isEscaped(json, quote)) {
      quote = json.indexOf('"', quote + 1);
    }
    return quote + 1;
  }

  private static boolean isEscaped(String json, int at) {
    int from = at;
    while (json.charAt(from - 1) == '\\') {
      from--;
    }
    return (at - from) % 2 == 1;
  }

  /** Returns whether a JSON string, without its quotes, contains an escape. */
  static boolean hasEscape(String json, int from, int to) {
    int at = from;
    while (at < to && json.charAt(at) != '\\') {
      at++;
    }
    return at < to;
  }

  /** Returns the text of a JSON string, whose range excludes the quotes. */
  static String unescape(String json, int from, int to) {
    if (!hasEscape(json, from, to)) {
      return json.substring(from, to);
    }
    StringBuilder plain = new StringBuilder(to - from);
    for (int i = from; i < to; i++) {
      char c = json.charAt(i);
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      i++;
      char escaped = json.charAt(i);
      if (escaped == 'u') {
        plain.append((char) Integer.parseInt(json, i + 1, i + 5, 16));
        i += 4;
      } else {
        int control = "bfnrt".indexOf(escaped);
        plain.append(control < 0 ? escaped : "\b\f\n\r\t".charAt(control));
      }
    }
    return plain.toString();
  }

  /** Appends the text as a JSON string, in quotes. */
  static void appendString(StringBuilder json, String text) {
    json.append('"');
    if (isPlain(text)) {
      json.append(text); // the usual case, much faster than single characters
    } else {
      appendEscaped(json, text);
    }
    json.append('"');
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (mustBeEscaped(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether to escape a character: JSON requires the escape, or some readers end a line at
   * the character.
   */
  private static boolean mustBeEscaped(char c) {
    return c < ' ' || c == '"' || c == '\\' || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }

  private static void appendEscaped(StringBuilder json, String text) {
    int from = 0; // the start of the unescaped run
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!mustBeEscaped(c)) {
        continue;
      }
      json.append(text, from, i);
      from = i + 1;
      int control = "\b\f\n\r\t\"\\".indexOf(c);
      if (control >= 0) {
        json.append('\\').append("bfnrt\"\\".charAt(control));
      } else {
        json.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]);
        json.append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
      }
    }
    json.append(text, from, text.length());
  }
}
