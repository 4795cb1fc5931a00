package dev.ralph.spring.ai;

import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AbstractMessage;

/**
 * Renders and parses a message's metadata as JSON. The member {@code metadata} contains the values.
 * The member {@code types} contains the Java types that JSON cannot represent, by the JSON pointer
 * of the value. The entry for the message's type is left out, because each message sets its own
 * type.
 */
final class MetadataJson {

  private static final String VALUES = "metadata";
  private static final String TYPES = "types";
  private static final String ENUM = "enum ";

  private final Map<String, String> types = new TreeMap<>();

  private MetadataJson() {}

  /**
   * Adds metadata to a message's JSON.
   *
   * @throws RalphException UNSUPPORTED if the type of a value is not supported
   */
  static Meta add(Meta json, Map<String, ?> metadata) {
    MetadataJson writer = new MetadataJson();
    Map<Object, Object> entries = new HashMap<>(metadata);
    entries.remove(AbstractMessage.MESSAGE_TYPE);
    if (entries.isEmpty()) {
      return json;
    }
    Meta with = json.with(VALUES, writer.object("", entries));
    if (writer.types.isEmpty()) {
      return with;
    }
    Meta types = Meta.empty();
    for (Map.Entry<String, String> type : writer.types.entrySet()) {
      types = types.with(type.getKey(), type.getValue());
    }
    return with.with(TYPES, types);
  }

  /** Returns the metadata in a message's JSON. */
  static Map<String, @Nullable Object> of(Meta json) {
    Meta values = json.object(VALUES);
    Meta types = json.object(TYPES);
    return values == null ? new TreeMap<>() : map("", values, types == null ? Meta.empty() : types);
  }

  private Meta object(String at, Map<?, ?> map) {
    Map<String, Object> sorted = new TreeMap<>();
    map.forEach(
        (key, value) -> {
          if (!(key instanceof String text)) {
            throw unsupported(at, "a key", key);
          }
          String name = UnicodeText.of(text);
          sorted.put(name, value(at + pointer(name), value));
        });
    Meta json = Meta.empty();
    for (Map.Entry<String, Object> each : sorted.entrySet()) {
      json = json.with(each.getKey(), each.getValue());
    }
    return json;
  }

  private static String pointer(Object key) {
    return "/" + key.toString().replace("~", "~0").replace("/", "~1");
  }

  /** Converts a value to a value of {@link Meta}. */
  private Object value(String at, @Nullable Object value) {
    if (value instanceof String text) {
      return UnicodeText.of(text);
    }
    if (value instanceof Boolean || value instanceof Long) {
      return value;
    }
    if (value instanceof Map<?, ?> map) {
      return object(at, map);
    }
    if (value instanceof List<?> list) {
      return list(at, list);
    }
    if (value instanceof Set<?> set) {
      types.put(at, "set");
      return list(at, set);
    }
    if (value instanceof Double number) {
      types.put(at, "double");
      boolean isJson = Double.isFinite(number) && !number.equals(-0.0);
      return isJson ? number : number.toString();
    }
    if (value instanceof Enum<?> constant) {
      types.put(at, ENUM + constant.getDeclaringClass().getName());
      return constant.name();
    }
    if (value instanceof byte[] bytes) {
      types.put(at, "bytes");
      return Base64.getEncoder().encodeToString(bytes);
    }
    if (value instanceof Date date && value.getClass() == Date.class) {
      types.put(at, "date");
      return date.getTime();
    }
    types.put(at, type(at, value));
    return value == null
        ? ""
        : value instanceof Integer || value instanceof BigDecimal ? value : value.toString();
  }

  private List<Object> list(String at, Collection<?> values) {
    List<Object> list = new ArrayList<>();
    for (Object each : values) {
      list.add(value(at + pointer(list.size()), each));
    }
    return list;
  }

  /** Returns the type name of a value that is stored as text. */
  private static String type(String at, @Nullable Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof Integer) {
      return "int";
    }
    if (value instanceof Short) {
      return "short";
    }
    if (value instanceof Byte) {
      return "byte";
    }
    if (value instanceof Float) {
      return "float";
    }
    if (value instanceof Character character && !Character.isSurrogate(character)) {
      return "char";
    }
    Class<?> type = value.getClass();
    if (type == BigDecimal.class) {
      return "decimal";
    }
    if (type == BigInteger.class) {
      return "integer";
    }
    if (type == UUID.class) {
      return "uuid";
    }
    if (type == URI.class) {
      return "uri";
    }
    if (type == Instant.class) {
      return "instant";
    }
    if (type == Duration.class) {
      return "duration";
    }
    if (type == LocalDate.class) {
      return "local-date";
    }
    if (type == LocalDateTime.class) {
      return "local-date-time";
    }
    if (type == OffsetDateTime.class) {
      return "offset-date-time";
    }
    throw unsupported(at, "a value", value);
  }

  private static RalphException unsupported(String at, String role, @Nullable Object value) {
    return RalphException.unsupported(
        "the message's metadata "
            + (at.isEmpty() ? "" : "'" + at.substring(1) + "' ")
            + "has "
            + role
            + " of the class "
            + (value == null ? "null" : value.getClass().getName())
            + " and cannot be stored; use a text, a number, a boolean, a list or a map");
  }

  private static Map<String, @Nullable Object> map(String at, Meta json, Meta types) {
    Map<String, @Nullable Object> map = new TreeMap<>();
    for (String key : json.keys()) {
      map.put(key, read(at + pointer(key), json.value(key), types));
    }
    return map;
  }

  private static @Nullable Object read(String at, @Nullable Object json, Meta types) {
    if (json instanceof Meta object) {
      return map(at, object, types);
    }
    String type = types.string(at);
    if (json instanceof List<?> list) {
      List<@Nullable Object> values = new ArrayList<>();
      for (Object each : list) {
        values.add(read(at + pointer(values.size()), each, types));
      }
      return "set".equals(type) ? new LinkedHashSet<>(values) : values;
    }
    return json == null || type == null ? json : typed(json, type);
  }

  /** Returns a value with its Java type. A value of an unknown type keeps its JSON type. */
  private static @Nullable Object typed(Object json, String type) {
    String text = json.toString();
    return switch (type) {
      case "null" -> null;
      case "int" -> Integer.valueOf(text);
      case "short" -> Short.valueOf(text);
      case "byte" -> Byte.valueOf(text);
      case "float" -> Float.valueOf(text);
      case "double" -> Double.valueOf(text);
      case "char" -> text.charAt(0);
      case "decimal" -> new BigDecimal(text);
      case "integer" -> new BigInteger(text);
      case "bytes" -> Base64.getDecoder().decode(text);
      case "date" -> new Date(Long.parseLong(text));
      case "uuid" -> UUID.fromString(text);
      case "uri" -> URI.create(text);
      case "instant" -> Instant.parse(text);
      case "duration" -> Duration.parse(text);
      case "local-date" -> LocalDate.parse(text);
      case "local-date-time" -> LocalDateTime.parse(text);
      case "offset-date-time" -> OffsetDateTime.parse(text);
      default -> type.startsWith(ENUM) ? constant(type.substring(ENUM.length()), text) : json;
    };
  }

  /**
   * Returns an enum constant, or its name if this program lacks the enum. Only enums are
   * initialized, so a forged store cannot run the code of other classes.
   */
  private static Object constant(String type, String name) {
    try {
      Class<?> found = Class.forName(type, false, loader());
      if (found.isEnum()) {
        for (Object constant : found.getEnumConstants()) {
          if (((Enum<?>) constant).name().equals(name)) {
            return constant;
          }
        }
      }
    } catch (ClassNotFoundException | LinkageError notInThisProgram) {
      return name;
    }
    return name;
  }

  private static ClassLoader loader() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context == null ? MetadataJson.class.getClassLoader() : context;
  }
}
