package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Reads the recorded output of a real client from a test resource. */
final class RecordedEvents {

  private RecordedEvents() {}

  /** Passes the lines to a reader in their order. */
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
