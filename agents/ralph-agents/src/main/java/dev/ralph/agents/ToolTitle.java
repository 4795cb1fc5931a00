package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Creates short one-line descriptions of tool calls. */
final class ToolTitle {

  private static final int LONGEST = 200;

  /**
   * The names of the most descriptive arguments in the clients. The first present argument is used.
   */
  private static final List<String> TELLING =
      List.of("command", "file_path", "filePath", "path", "pattern", "url", "query", "description");

  private ToolTitle() {}

  /**
   * Returns the most descriptive argument, or else all arguments. Returns an empty string without
   * arguments.
   */
  static String of(JsonNode input) {
    for (String name : TELLING) {
      JsonNode value = input.path(name);
      if (value.isTextual() && !value.asText().isBlank()) {
        return shortened(value.asText());
      }
    }
    return input.isEmpty() ? "" : shortened(input.toString());
  }

  /** Returns the text as a single line, truncated if long. */
  static String shortened(String text) {
    String line = text.strip().replaceAll("\\s*\\R\\s*", " ⏎ ");
    if (line.length() <= LONGEST) {
      return line;
    }
    int end = Character.isHighSurrogate(line.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return line.substring(0, end) + "…";
  }
}
