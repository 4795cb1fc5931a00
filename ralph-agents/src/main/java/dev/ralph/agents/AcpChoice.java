package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that a session can be set to, of what its agent offers: by an option of the session, or
 * in the older way by a method of its own. Immutable.
 */
final class AcpChoice {

  static final String MODE = "mode";
  static final String MODEL = "model";

  /** An agent may offer hundreds of models. */
  private static final int MOST_NAMED = 40;

  private final String what;

  /** The option's id; null in the older way. */
  private final @Nullable String option;

  private final @Nullable String current;

  /** The names for people, by the values, in the agent's order. */
  private final Map<String, String> values = new LinkedHashMap<>();

  private AcpChoice(String what, @Nullable String option, JsonNode current) {
    this.what = what;
    this.option = option;
    this.current = current.isTextual() ? current.asText() : null;
  }

  /**
   * Finds what there is to choose from.
   *
   * @param what MODE or MODEL
   * @param offered the answer that made the session, or the last that told of its options
   */
  static AcpChoice of(String what, JsonNode offered) {
    for (JsonNode option : offered.path("configOptions")) {
      String category = option.path("category").asText(option.path("id").asText());
      if (category.equals(what)) {
        AcpChoice choice =
            new AcpChoice(what, option.path("id").asText(), option.path("currentValue"));
        choice.addAll(option.path("options"), "value");
        return choice;
      }
    }
    String capital = what.equals(MODE) ? "Mode" : "Model";
    JsonNode old = offered.path(what + "s");
    AcpChoice choice = new AcpChoice(what, null, old.path("current" + capital + "Id"));
    choice.addAll(old.path("available" + capital + "s"), what.equals(MODE) ? "id" : "modelId");
    return choice;
  }

  private void addAll(JsonNode entries, String id) {
    for (JsonNode entry : entries) {
      if (entry.has("options")) {
        addAll(entry.path("options"), id); // a group
      } else {
        values.put(entry.path(id).asText(), entry.path("name").asText());
      }
    }
  }

  /** Returns what it is set to, or null if that is not told. */
  @Nullable String current() {
    return current;
  }

  /** Returns the value of that name, or null if there is none. */
  @Nullable String named(String name) {
    if (values.containsKey(name)) {
      return name;
    }
    for (Map.Entry<String, String> value : values.entrySet()) {
      if (name.equalsIgnoreCase(value.getKey()) || name.equalsIgnoreCase(value.getValue())) {
        return value.getKey();
      }
    }
    return null;
  }

  /** Returns that there is no value of a name, to end a sentence with. */
  String hasNone(String name) {
    List<String> names = new ArrayList<>();
    for (String value : values.keySet()) {
      if (names.size() == MOST_NAMED) {
        names.add("and " + (values.size() - MOST_NAMED) + " more");
        break;
      }
      names.add(value);
    }
    return " has no "
        + what
        + " "
        + name
        + (names.isEmpty() ? "; it offers none" : "; it offers: " + String.join(", ", names));
  }

  /** Returns the method that sets it. */
  String method() {
    return option == null ? "session/set_" + what : "session/set_config_option";
  }

  /** Returns what that method takes besides the session, to set it to one of its values. */
  ObjectNode chosen(String value) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    return option == null
        ? params.put(what + "Id", value)
        : params.put("configId", option).put("value", value);
  }
}
