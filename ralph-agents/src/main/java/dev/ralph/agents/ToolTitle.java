package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What a call of a tool is about, in one short line. */
final class ToolTitle {

  private static final int LONGEST = 200;

  /**
   * The arguments that say most, by the names that clients give them; the first there is counts.
   */
  private static final List<String> TELLING =
      List.of("command", "file_path", "filePath", "path", "pattern", "url", "query", "description");

  private ToolTitle() {}

  /** Returns the argument that says most, else all of them; empty if there are none. */
  static String of(JsonNode input) {
    for (String name : TELLING) {
      JsonNode value = input.path(name);
      if (value.isTextual() && !value.asText().isBlank()) {
        return shortened(value.asText());
      }
    }
    return input.isEmpty() ? "" : shortened(input.toString());
  }

  /** Returns the text on one line, cut where it is long. */
  static String shortened(String text) {
    String line = text.strip().replaceAll("\\s*\\R\\s*", " ⏎ ");
    if (line.length() <= LONGEST) {
      return line;
    }
    int end = Character.isHighSurrogate(line.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return line.substring(0, end) + "…";
  }
}
