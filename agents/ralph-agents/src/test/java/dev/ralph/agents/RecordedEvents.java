package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** What a real client wrote in a run, from a file beside the tests. */
final class RecordedEvents {

  private RecordedEvents() {}

  /** Gives the lines to a reader as they came. */
  static void read(String name, Consumer<JsonNode> events, Consumer<String> others)
      throws IOException {
    EventLines lines = new EventLines(events, others);
    try (InputStream in = RecordedEvents.class.getResourceAsStream(name)) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> lines.accept(line + "\n"));
    }
  }
}
