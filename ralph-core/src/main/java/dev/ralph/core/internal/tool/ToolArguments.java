package dev.ralph.core.internal.tool;

import dev.ralph.core.internal.text.ListArgument;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The arguments of a tool call. */
final class ToolArguments {

  /** A number that fits into an int; the prefix of an id is longer. */
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,7}");

  /** Separators of ids in a text. */
  private static final Pattern SEPARATORS = Pattern.compile("[\\s,\"'\\[\\]]+");

  private final Meta values;

  ToolArguments(Meta values) {
    this.values = values;
  }

  /**
   * @param own the known names
   * @throws RalphException INVALID if there is an unknown argument
   */
  void requireKnown(Set<String> own) {
    for (String name : values.keys()) {
      if (!own.contains(name)) {
        throw RalphException.invalid(
            "unknown argument "
                + RalphException.quote(name)
                + (own.isEmpty()
                    ? "; no arguments are allowed"
                    : "; use one of " + String.join(", ", new TreeSet<>(own))));
      }
    }
  }

  /** Returns whether an argument is present. */
  boolean has(String name) {
    return values.value(name) != null;
  }

  /** Returns a text, or null if the argument is missing. */
  @Nullable String text(String name) {
    Object value = values.value(name);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw RalphException.invalid(name + " must be a text, not " + ListArgument.kind(value));
  }

  /**
   * Returns a required text, which must not be blank.
   *
   * @throws RalphException INVALID with the message of ralph.nu if the text is missing
   */
  String required(String name) {
    String value = text(name);
    if (value == null || value.isBlank()) {
      throw RalphException.invalid(name + " required");
    }
    return value;
  }

  /**
   * Returns a reference, or null if the argument is missing. Models often omit the letter of the
   * kind, or write a number instead of a text.
   */
  @Nullable String id(String name, char letter) {
    Object value = values.value(name);
    return value == null ? null : id(name, letter, value);
  }

  /**
   * Returns a required reference.
   *
   * @throws RalphException INVALID if the reference is missing
   */
  String requiredId(String name, char letter) {
    String id = id(name, letter);
    if (id == null || id.isEmpty()) {
      throw RalphException.invalid(name + " required");
    }
    return id;
  }

  /** Returns a list of references; may be empty. */
  List<String> ids(String name, char letter) {
    List<String> ids = new ArrayList<>();
    for (Object item : ListArgument.items(name, values.value(name))) {
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

  /** Returns a list of texts, as {@link ListArgument#texts}; may be empty. */
  List<String> texts(String name) {
    return ListArgument.texts(name, values.value(name));
  }

  private static String id(String name, char letter, @Nullable Object value) {
    String id = value instanceof Long ? value.toString() : null;
    if (value instanceof String text) {
      id = text.strip();
    }
    if (id == null) {
      throw RalphException.invalid(
          name + " must be an ID such as " + letter + "3, not " + ListArgument.kind(value));
    }
    return NUMBER.matcher(id).matches() ? letter + id : id;
  }

  /**
   * Returns the arguments in a list of objects; empty if the argument is missing.
   *
   * @param only the name of the argument for a text in place of an object
   */
  List<ToolArguments> objects(String name, String only) {
    if (values.value(name) == null) {
      return List.of();
    }
    List<ToolArguments> objects = new ArrayList<>();
    for (Object item : ListArgument.items(name, values.value(name))) {
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
    } else if (item instanceof String text) {
      if (text.strip().startsWith("{") && ListArgument.decoded(name, text) instanceof Meta object) {
        return object;
      }
      ListArgument.requirePlain(name, text);
      return Meta.of(only, text);
    }
    throw RalphException.invalid(
        name + " must be a list of objects, not " + ListArgument.kind(item));
  }

  /**
   * Returns an integer, which may be written as a text, or a default if the argument is missing.
   */
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
            + (value instanceof Number ? value : ListArgument.kind(value)));
  }
}
