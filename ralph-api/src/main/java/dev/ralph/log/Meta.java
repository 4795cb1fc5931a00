package dev.ralph.log;

import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A frame's metadata: an immutable JSON object. The order of the members and the text of numbers
 * stay as written. Members are parsed on demand.
 *
 * <p>Reserved keys: {@code action}, {@code by}, {@code cause}, {@code iteration}, {@code v}, {@code
 * content_type}, {@code ttl}.
 */
public final class Meta {

  private static final Meta EMPTY = new Meta("{}");
  private static final int FIELDS = 4;

  private final String json;

  /**
   * The offsets of the members in the text, four numbers each: key from, key to, value from, value
   * to. Null until first needed. Several threads may compute the same array at once.
   */
  private int @Nullable [] members;

  private Meta(String json) {
    this.json = json;
  }

  /** Returns the object without members. */
  public static Meta empty() {
    return EMPTY;
  }

  /**
   * Returns an object with one member.
   *
   * @param value a value that {@link #with} accepts, not null
   * @throws RalphException INVALID as {@link #with}
   */
  public static Meta of(String key, Object value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    return EMPTY.with(key, value);
  }

  /**
   * Parses a JSON object.
   *
   * @throws RalphException INVALID if the text is not one JSON object; the message names the
   *     character
   */
  public static Meta parse(String json) {
    return new Meta(JsonText.compactObject(Objects.requireNonNull(json, "json")));
  }

  /**
   * Returns the object of a text that {@link #json()} has returned. The text is not validated. For
   * stores.
   */
  public static Meta stored(String json) {
    Objects.requireNonNull(json, "json");
    return json.length() == 2 ? EMPTY : new Meta(json);
  }

  /**
   * Returns a copy of this object with a member. The value of an existing member is replaced in its
   * place; a new member is the last.
   *
   * @param value a String, Boolean, Integer, Long, BigDecimal, finite Double, Meta, or a List of
   *     these and of null; null returns this object unchanged, see {@link #without}
   * @throws RalphException INVALID if the value has another type, the key or a text has an unpaired
   *     surrogate, or lists are nested in more than 100 levels
   */
  public Meta with(String key, @Nullable Object value) {
    int member = find(key);
    if (value == null) {
      return this;
    }
    return member < 0 ? added(key, value) : replaced(member, value);
  }

  private Meta added(String key, Object value) {
    StringBuilder text = new StringBuilder(json.length() + key.length() + 32);
    text.append(json).setLength(json.length() - 1);
    if (text.length() > 1) {
      text.append(',');
    }
    int keyFrom = text.length() + 1;
    JsonText.appendString(text, RalphException.requireUnicode("meta key", key));
    int valueFrom = text.length() + 1;
    appendValue(text.append(':'), value, 1);
    int valueTo = text.length();
    Meta with = new Meta(text.append('}').toString());
    int[] at = members();
    int[] more = Arrays.copyOf(at, at.length + FIELDS);
    more[at.length] = keyFrom;
    more[at.length + 1] = valueFrom - 2;
    more[at.length + 2] = valueFrom;
    more[at.length + 3] = valueTo;
    with.members = more;
    return with;
  }

  private Meta replaced(int member, Object value) {
    int[] at = members();
    StringBuilder text = new StringBuilder(json.length() + 32);
    appendValue(text.append(json, 0, at[member + 2]), value, 1);
    return new Meta(text.append(json, at[member + 3], json.length()).toString());
  }

  /** Returns a copy of this object without the members of a key. */
  public Meta without(String key) {
    if (find(key) < 0) {
      return this;
    }
    int[] at = members();
    StringBuilder text = new StringBuilder(json.length()).append('{');
    for (int i = 0; i < at.length; i += FIELDS) {
      if (!keyEquals(at, i, key)) {
        text.append(text.length() > 1 ? "," : "").append(json, at[i] - 1, at[i + 3]);
      }
    }
    return stored(text.append('}').toString());
  }

  private static void appendValue(StringBuilder text, @Nullable Object value, int depth) {
    if (value == null) {
      text.append("null"); // an element of a list
    } else if (value instanceof String) {
      JsonText.appendString(text, RalphException.requireUnicode("meta value", (String) value));
    } else if (value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof BigDecimal
        || (value instanceof Double && Double.isFinite((Double) value))) {
      text.append(value);
    } else if (value instanceof Meta) {
      text.append(((Meta) value).json);
    } else if (value instanceof List && depth <= JsonText.MAX_DEPTH) {
      text.append('[');
      String separator = "";
      for (Object element : (List<?>) value) {
        text.append(separator);
        appendValue(text, element, depth + 1);
        separator = ",";
      }
      text.append(']');
    } else {
      throw RalphException.invalid(
          "meta cannot hold "
              + (value instanceof List
                  ? "more than " + JsonText.MAX_DEPTH + " levels"
                  : "a value of " + value.getClass()));
    }
  }

  /** Returns the keys in order. */
  public List<String> keys() {
    int[] at = members();
    List<String> keys = new ArrayList<>(at.length / FIELDS);
    for (int i = 0; i < at.length; i += FIELDS) {
      keys.add(JsonText.unescape(json, at[i], at[i + 1]));
    }
    return keys;
  }

  /** Returns whether a member of the key exists, also with the value null. */
  public boolean has(String key) {
    return find(key) >= 0;
  }

  /** Returns the text of a string member; null if the member is missing or has another type. */
  public @Nullable String string(String key) {
    int member = find(key);
    if (member < 0 || json.charAt(members()[member + 2]) != '"') {
      return null;
    }
    int[] at = members();
    return JsonText.unescape(json, at[member + 2] + 1, at[member + 3] - 1);
  }

  /**
   * Returns the value of a whole number within the range of a long; otherwise empty. Also a number
   * with a fraction of zeros or an exponent is whole: {@code 1.0}, {@code 2e3}. A number with more
   * than 1,000 characters is not read.
   */
  public OptionalLong integer(String key) {
    int member = find(key);
    if (member < 0) {
      return OptionalLong.empty();
    }
    int[] at = members();
    char first = json.charAt(at[member + 2]);
    if (first != '-' && (first < '0' || first > '9')) {
      return OptionalLong.empty();
    }
    return JsonText.integerOf(json, at[member + 2], at[member + 3]);
  }

  /**
   * Returns the value of a number; null if the member is missing, has another type, exceeds the
   * range of BigDecimal, or has more than 1,000 characters.
   */
  public @Nullable BigDecimal number(String key) {
    int member = find(key);
    if (member < 0) {
      return null;
    }
    int[] at = members();
    char first = json.charAt(at[member + 2]);
    if (first != '-' && (first < '0' || first > '9')
        || at[member + 3] - at[member + 2] > JsonText.LONGEST_EXACT) {
      return null;
    }
    try {
      return new BigDecimal(json.substring(at[member + 2], at[member + 3]));
    } catch (NumberFormatException beyondAllBounds) {
      return null; // for example 1e99999999999, which JSON allows
    }
  }

  /** Returns whether a member is {@code true}. */
  public boolean isTrue(String key) {
    int member = find(key);
    return member >= 0 && json.startsWith("true", members()[member + 2]);
  }

  /** Returns an object member; null if the member is missing or has another type. */
  public @Nullable Meta object(String key) {
    int member = find(key);
    if (member < 0 || json.charAt(members()[member + 2]) != '{') {
      return null;
    }
    return stored(json.substring(members()[member + 2], members()[member + 3]));
  }

  /** Returns the strings of an array member without its other elements; empty without an array. */
  public List<String> strings(String key) {
    int member = find(key);
    return member < 0
        ? List.of()
        : JsonText.stringsOf(json, members()[member + 2], members()[member + 3]);
  }

  /** Returns the objects of an array member without its other elements; empty without an array. */
  public List<Meta> objects(String key) {
    List<Meta> objects = new ArrayList<>();
    if (value(key) instanceof List<?> elements) {
      for (Object element : elements) {
        if (element instanceof Meta) {
          objects.add((Meta) element);
        }
      }
    }
    return objects;
  }

  /**
   * Returns the value of a member: a String, Boolean, Meta, number, or a List of such values and of
   * null. A number is a Long if it is written without fraction and exponent and in range, otherwise
   * a BigDecimal. A number with more than 1,000 characters or beyond the range of BigDecimal is a
   * Double. Returns null if the member is missing or {@code null}.
   */
  public @Nullable Object value(String key) {
    int member = find(key);
    return member < 0 ? null : JsonText.valueOf(json, members()[member + 2], members()[member + 3]);
  }

  /**
   * Returns the members in order, with the values of {@link #value}. Of members with the same key,
   * the first counts. Jackson serializes the object as this map.
   *
   * @return an unmodifiable map, whose values may be null
   */
  @JsonValue
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (String key : keys()) {
      if (!map.containsKey(key)) {
        map.put(key, value(key));
      }
    }
    return Collections.unmodifiableMap(map);
  }

  /** Returns the object as JSON text on one line. */
  public String json() {
    return json;
  }

  private int find(String key) {
    Objects.requireNonNull(key, "key");
    int[] at = members();
    for (int i = 0; i < at.length; i += FIELDS) {
      if (keyEquals(at, i, key)) {
        return i;
      }
    }
    return -1;
  }

  private boolean keyEquals(int[] at, int member, String key) {
    int length = at[member + 1] - at[member];
    if (length == key.length() && json.startsWith(key, at[member])) {
      return key.indexOf('\\') < 0; // the text of an escape is no key
    }
    return length > key.length()
        && JsonText.hasEscape(json, at[member], at[member + 1])
        && JsonText.unescape(json, at[member], at[member + 1]).equals(key);
  }

  private int[] members() {
    int[] found = members;
    if (found == null) {
      found = JsonText.membersOf(json);
      members = found;
    }
    return found;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Meta && ((Meta) other).json.equals(json);
  }

  @Override
  public int hashCode() {
    return json.hashCode();
  }

  @Override
  public String toString() {
    return json;
  }
}
