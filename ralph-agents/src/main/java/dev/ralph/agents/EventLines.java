package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.function.Consumer;

/**
 * Makes events of a client's output, which has one JSON object a line and comes in pieces of lines.
 * For one thread at a time.
 */
final class EventLines implements Consumer<String> {

  /** A line longer than this holds no more than a tool's output; it is left out. */
  private static final int LONGEST_LINE = 16 * 1024 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Consumer<JsonNode> events;
  private final Consumer<String> others;
  private final StringBuilder line = new StringBuilder();
  private boolean skipLine;

  /**
   * @param others receives each line that is no event, such as what a plugin prints
   */
  EventLines(Consumer<JsonNode> events, Consumer<String> others) {
    this.events = events;
    this.others = others;
  }

  /** Takes in a line with its newline, or a part of a long one. */
  @Override
  public void accept(String piece) {
    if (!skipLine) {
      line.append(piece);
      skipLine = line.length() > LONGEST_LINE;
    }
    if (piece.endsWith("\n")) {
      end();
    }
  }

  /** Takes what is there for a whole line: nothing follows. */
  void end() {
    String whole = line.toString();
    boolean skipped = skipLine;
    line.setLength(0);
    skipLine = false;
    if (!skipped && !whole.isBlank()) {
      deliver(whole);
    }
  }

  private void deliver(String text) {
    JsonNode event;
    try {
      event = JSON.readTree(text);
    } catch (JsonProcessingException noEvent) {
      others.accept(text.stripTrailing());
      return;
    }
    if (event.isObject()) {
      events.accept(event);
    } else {
      others.accept(text.stripTrailing());
    }
  }
}
