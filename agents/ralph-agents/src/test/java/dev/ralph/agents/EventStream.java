package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** An answer of server-sent events, each named by its {@code type}. */
final class EventStream {

  private final OutputStream out;

  private EventStream(OutputStream out) {
    this.out = out;
  }

  /** Begins the answer. */
  static EventStream open(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    return new EventStream(exchange.getResponseBody());
  }

  /** Sends an event at once. */
  void send(JsonNode event) throws IOException {
    String text = "event: " + event.path("type").asText() + "\ndata: " + event + "\n\n";
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
