package dev.ralph.mcp;

import dev.ralph.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.Nullable;

/** What a tool was called with. */
final class Arguments {

  private final Map<String, Object> values;

  Arguments(@Nullable Map<String, Object> values) {
    this.values = values == null ? Map.of() : values;
  }

  /**
   * @param own the names there are besides that of the session
   * @throws RalphException INVALID if another one was given
   */
  void requireKnown(Set<String> own) {
    Set<String> known = new TreeSet<>(own);
    known.add(Tool.SESSION);
    for (String name : values.keySet()) {
      if (!known.contains(name)) {
        throw RalphException.invalid(
            "unknown argument "
                + RalphException.quote(name)
                + "; there are "
                + String.join(", ", known));
      }
    }
  }

  /** Returns a text, or null if it was not given. */
  @Nullable
  String text(String name) {
    Object value = values.get(name);
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

  /** Returns a whole number, or another one if none was given. */
  int number(String name, int otherwise, int least, int most) {
    Object value = values.get(name);
    if (value == null) {
      return otherwise;
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

  /** Returns a list of texts; empty if none was given. */
  List<String> texts(String name) {
    Object value = values.get(name);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw RalphException.invalid(name + " must be a list of texts, not " + kind(value));
    }
    List<String> texts = new ArrayList<>();
    for (Object item : list) {
      if (!(item instanceof String)) {
        throw RalphException.invalid(name + " must hold texts, not " + kind(item));
      }
      texts.add((String) item);
    }
    return texts;
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
