package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A response of server-sent events. The name of each event is its {@code type}. */
final class EventStream {

  private final OutputStream out;

  private EventStream(OutputStream out) {
    this.out = out;
  }

  /** Sends the headers of the response. */
  static EventStream open(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    return new EventStream(exchange.getResponseBody());
  }

  /** Sends an event and flushes the stream. */
  void send(JsonNode event) throws IOException {
    String text = "event: " + event.path("type").asText() + "\ndata: " + event + "\n\n";
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
