package dev.ralph.core.internal.text;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads list arguments of tool calls. All tools follow one rule, because clients send lists in
 * several forms: a text with a JSON list is decoded once, and texts are split at commas outside of
 * braces. Any other value is rejected.
 */
public final class ListArgument {

  /**
   * The beginning of a JSON text: an object with a member, an empty list, or a list that begins
   * with a string or an object. File patterns such as {@code [ab]*.c} do not match.
   */
  private static final Pattern BEGINS_JSON = Pattern.compile("\\{\\s*\"|\\[\\s*(?:[\"{]|\\]\\s*$)");

  private ListArgument() {}

  /**
   * Returns the texts of a list argument; empty for null. Blank texts are omitted.
   *
   * @param name the name of the argument, for messages
   * @param value a text, a list of texts, or null
   * @throws RalphException INVALID for any other value, or a text that begins like a JSON list but
   *     is invalid
   */
  public static List<String> texts(String name, @Nullable Object value) {
    List<String> texts = new ArrayList<>();
    for (Object item : items(name, value)) {
      if (!(item instanceof String text)) {
        throw RalphException.invalid(name + " must be a list of texts, not of " + kind(item));
      }
      requirePlain(name, text);
      addParts(text, texts);
    }
    return texts;
  }

  private static void addParts(String text, List<String> parts) {
    int from = 0;
    int braces = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      braces = Math.max(0, braces + (c == '{' ? 1 : c == '}' ? -1 : 0));
      if (c == ',' && braces == 0 || i == text.length()) {
        String part = text.substring(from, i).strip();
        boolean isQuoted = part.length() > 1 && part.startsWith("\"") && part.endsWith("\"");
        part = isQuoted ? part.substring(1, part.length() - 1) : part;
        if (!part.isEmpty()) {
          parts.add(part);
        }
        from = i + 1;
      }
    }
  }

  /**
   * Returns the items of a list argument. A JSON text is decoded once. Any other value is the only
   * item; null has no items.
   *
   * @param name the name of the argument, for messages
   * @throws RalphException INVALID if a text begins like a JSON list, but is invalid
   */
  public static List<?> items(String name, @Nullable Object value) {
    Object read = value instanceof String text ? decoded(name, text) : value;
    return read instanceof List<?> list ? list : read == null ? List.of() : List.of(read);
  }

  /**
   * Returns the list or the object in a JSON text, or the text itself if it does not begin like
   * JSON.
   *
   * @param name the name of the argument, for messages
   * @throws RalphException INVALID if the text begins like JSON, but is invalid
   */
  public static Object decoded(String name, String text) {
    String json = text.strip();
    if (!BEGINS_JSON.matcher(json).lookingAt()) {
      return text;
    }
    Object value = parsed(json);
    if (value instanceof List<?> || value instanceof Meta) {
      return value;
    }
    throw RalphException.invalid(
        name + " must be a list, and this text is no list in JSON: " + RalphException.quote(text));
  }

  /** Returns the value of a JSON text, or null if the text is invalid. */
  private static @Nullable Object parsed(String json) {
    try {
      Meta holder = Meta.parse("{\"value\":" + json + "}");
      return holder.keys().size() == 1 ? holder.value("value") : null;
    } catch (RalphException invalid) {
      return null;
    }
  }

  /**
   * Checks that an item of a list is no list or object in JSON, as in an argument that a client has
   * encoded twice.
   *
   * @param name the name of the argument, for messages
   * @throws RalphException INVALID if the text is such JSON
   */
  public static void requirePlain(String name, String text) {
    String json = text.strip();
    Object value =
        json.startsWith("\"") || BEGINS_JSON.matcher(json).lookingAt() ? parsed(json) : null;
    boolean isQuoted =
        value instanceof String inner && BEGINS_JSON.matcher(inner.strip()).lookingAt();
    if (isQuoted || value instanceof List<?> || value instanceof Meta) {
      throw RalphException.invalid(
          name
              + " must be a list, and this item is JSON in a text: "
              + RalphException.quote(text)
              + "; encode the list once");
    }
  }

  /** Returns words for the kind of a value, for messages. */
  public static String kind(@Nullable Object value) {
    if (value == null) {
      return "null";
    } else if (value instanceof String text) {
      return RalphException.quote(text);
    } else if (value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    return value instanceof List ? "a list" : "an object";
  }
}
