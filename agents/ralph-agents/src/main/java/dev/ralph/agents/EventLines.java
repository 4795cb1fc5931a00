package dev.ralph.agents;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses events from a client's output, which has one JSON object per line and arrives in parts.
 * Not thread-safe.
 */
final class EventLines implements Consumer<String> {

  /**
   * The longest line in characters. A longer line only contains the output of a tool and is
   * skipped.
   */
  private static final int LONGEST_LINE = 16 * 1024 * 1024;

  /** The most braces tried as the start of a JSON-RPC message after other output in a line. */
  private static final int MOST_TRIES = 8;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Consumer<JsonNode> events;
  private final Consumer<String> others;
  private final StringBuilder line = new StringBuilder();
  private boolean skipLine;

  /**
   * Creates a parser.
   *
   * @param others receives each line that is no event, such as the output of a plugin
   */
  EventLines(Consumer<JsonNode> events, Consumer<String> others) {
    this.events = events;
    this.others = others;
  }

  /** Accepts a line with its newline, or a part of a long line. */
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

  /** Ends the last line at the end of the output. */
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
    JsonNode event = object(text);
    if (event != null) {
      events.accept(event);
      return;
    }
    int at = text.indexOf('{', 1);
    for (int tries = 0; at >= 0 && tries < MOST_TRIES; tries++) {
      JsonNode message = object(text.substring(at));
      if (message != null && message.has("jsonrpc")) {
        others.accept(text.substring(0, at).stripTrailing());
        events.accept(message);
        return;
      }
      at = text.indexOf('{', at + 1);
    }
    others.accept(text.stripTrailing());
  }

  private static @Nullable JsonNode object(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      return node.isObject() ? node : null;
    } catch (JsonProcessingException noEvent) {
      return null;
    }
  }
}
