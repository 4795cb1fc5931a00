package dev.ralph.core.internal.tool;

import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a tool was called with. */
final class ToolArguments {

  /** No longer than what fits into an int; the beginning of an id is longer as well. */
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,7}");

  /** What stands between ids in a text, and around them in one that is a list in JSON. */
  private static final Pattern SEPARATORS = Pattern.compile("[\\s,\"'\\[\\]]+");

  private final Meta values;

  ToolArguments(Meta values) {
    this.values = values;
  }

  /**
   * @param own the names there are
   * @throws RalphException INVALID if another one was given
   */
  void requireKnown(Set<String> own) {
    for (String name : values.keys()) {
      if (!own.contains(name)) {
        throw RalphException.invalid(
            "unknown argument "
                + RalphException.quote(name)
                + (own.isEmpty()
                    ? "; there are none"
                    : "; there are " + String.join(", ", new TreeSet<>(own))));
      }
    }
  }

  /** Returns whether something was given. */
  boolean has(String name) {
    return values.value(name) != null;
  }

  /** Returns a text, or null if it was not given. */
  @Nullable String text(String name) {
    Object value = values.value(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw RalphException.invalid(name + " must be a text, not " + kind(value));
  }

  /**
   * Returns a text that must be given and not be blank.
   *
   * @throws RalphException INVALID in ralph.nu's words if it was not
   */
  String required(String name) {
    String value = text(name);
    if (value == null || value.isBlank()) {
      throw RalphException.invalid(name + " required");
    }
    return value;
  }

  /**
   * Returns a reference, or null if none was given. Models often leave out the letter of the kind,
   * or write a number instead of a text.
   */
  @Nullable String id(String name, char letter) {
    Object value = values.value(name);
    return value == null ? null : id(name, letter, value);
  }

  /**
   * Returns a reference that must be given.
   *
   * @throws RalphException INVALID if it was not
   */
  String requiredId(String name, char letter) {
    String id = id(name, letter);
    if (id == null || id.isEmpty()) {
      throw RalphException.invalid(name + " required");
    }
    return id;
  }

  /** Returns a list of references, which may be one or several in a text; empty if none. */
  List<String> ids(String name, char letter) {
    Object value = values.value(name);
    if (value == null) {
      return List.of();
    }
    List<?> items = value instanceof List<?> list ? list : List.of(value);
    List<String> ids = new ArrayList<>();
    for (Object item : items) {
      if (item instanceof String text) {
        for (String id : SEPARATORS.split(text)) {
          if (!id.isEmpty()) {
            ids.add(id(name, letter, id));
          }
        }
      } else {
        ids.add(id(name, letter, item));
      }
    }
    return ids;
  }

  /** Returns a list of texts, which may be one alone; empty if none. */
  List<String> texts(String name) {
    Object value = values.value(name);
    List<String> texts = new ArrayList<>();
    for (Object item :
        value instanceof List<?> list ? list : value == null ? List.of() : List.of(value)) {
      if (!(item instanceof String text)) {
        throw RalphException.invalid(name + " must be a list of texts, not of " + kind(item));
      }
      texts.add(text);
    }
    return texts;
  }

  private static String id(String name, char letter, @Nullable Object value) {
    String id = value instanceof Long ? value.toString() : null;
    if (value instanceof String text) {
      id = text.strip();
    }
    if (id == null) {
      throw RalphException.invalid(
          name + " must be an ID such as " + letter + "3, not " + kind(value));
    }
    return NUMBER.matcher(id).matches() ? letter + id : id;
  }

  /**
   * Returns the arguments in a list of objects; empty if none was given.
   *
   * @param only what a text in place of an object stands for
   */
  List<ToolArguments> objects(String name, String only) {
    Object value = values.value(name);
    if (value == null) {
      return List.of();
    }
    List<ToolArguments> objects = new ArrayList<>();
    for (Object item : value instanceof List<?> list ? list : List.of(value)) {
      objects.add(new ToolArguments(object(name, only, item)));
    }
    if (objects.isEmpty()) {
      throw RalphException.invalid(name + " must not be empty");
    }
    return objects;
  }

  private static Meta object(String name, String only, @Nullable Object item) {
    if (item instanceof Meta object) {
      return object;
    } else if (item instanceof String) {
      return Meta.of(only, item);
    }
    throw RalphException.invalid(name + " must be a list of objects, not " + kind(item));
  }

  /** Returns a whole number, which may be written as a text, or another one if none was given. */
  int number(String name, int otherwise, int least, int most) {
    Object value = values.value(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof String text && NUMBER.matcher(text.strip()).matches()) {
      value = Long.valueOf(text.strip());
    }
    if (value instanceof Number number
        && number.doubleValue() == Math.rint(number.doubleValue())
        && number.doubleValue() >= least
        && number.doubleValue() <= most) {
      return number.intValue();
    }
    throw RalphException.invalid(
        name
            + " must be a whole number from "
            + least
            + (most == Integer.MAX_VALUE ? " on" : " to " + most)
            + ", not "
            + (value instanceof Number ? value : kind(value)));
  }

  private static String kind(@Nullable Object value) {
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
