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
 * A setting of a session with the values that the agent offers. An agent offers a setting as a
 * session option, or in older versions by a separate method. Immutable.
 */
final class AcpChoice {

  static final String MODE = "mode";
  static final String MODEL = "model";

  /** The most values in a message. An agent may offer hundreds of models. */
  private static final int MOST_NAMED = 40;

  private final String what;

  /** The id of the option, or null for the older way. */
  private final @Nullable String option;

  private final @Nullable String current;

  /** The display names by value, in the agent's order. */
  private final Map<String, String> values = new LinkedHashMap<>();

  private AcpChoice(String what, @Nullable String option, JsonNode current) {
    this.what = what;
    this.option = option;
    this.current = current.isTextual() ? current.asText() : null;
  }

  /**
   * Returns the setting that an agent offers.
   *
   * @param what MODE or MODEL
   * @param offered the response to the session's creation, or the newest response with the
   *     session's options
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

  /** Returns the current value, or null if the agent did not report a value. */
  @Nullable String current() {
    return current;
  }

  /** Returns the value with a name, or null. */
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

  /** Returns the end of an error message for a missing value, which lists the offered values. */
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

  /** Returns the method that sets the value. */
  String method() {
    return option == null ? "session/set_" + what : "session/set_config_option";
  }

  /** Returns the parameters, without the session id, that set an offered value. */
  ObjectNode chosen(String value) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    return option == null
        ? params.put(what + "Id", value)
        : params.put("configId", option).put("value", value);
  }
}
