package dev.ralph.web.internal.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A request and its response. Not thread-safe. */
public final class Exchange {

  /** The longest body of a request, in bytes. */
  public static final int LONGEST_BODY = 1 << 20;

  private final HttpExchange exchange;
  private final RequestDeadlines deadlines;
  private final EventStreams streams;
  private final Visitor visitor;
  private final Map<String, String> parameters;
  private volatile BooleanSupplier isLetIn;
  private volatile String token;
  private volatile boolean answered;

  Exchange(
      HttpExchange exchange,
      RequestDeadlines deadlines,
      EventStreams streams,
      Visitor visitor,
      Map<String, String> parameters,
      BooleanSupplier isLetIn) {
    this.exchange = exchange;
    this.deadlines = deadlines;
    this.streams = streams;
    this.visitor = visitor;
    this.parameters = parameters;
    this.isLetIn = isLetIn;
    this.token = visitor.id();
  }

  /** Returns the person who has sent the request. */
  public Visitor visitor() {
    return visitor;
  }

  /**
   * Records that the endpoint has authenticated the request itself.
   *
   * @param id identifies the token, for limits
   * @param isValid returns whether the token is still valid
   */
  public void authenticated(String id, BooleanSupplier isValid) {
    token = id;
    isLetIn = isValid;
  }

  /** Begins a transfer, with shorter limits for clients without a token. */
  private void begin(Duration limit) {
    deadlines.begin(
        limit,
        token.isEmpty() ? RequestDeadlines.STRANGER_IN_CROWD : RequestDeadlines.KNOWN_IN_CROWD);
  }

  /** Returns the segment of the path at the parameter of the route with a name. */
  public String parameter(String name) {
    String value = parameters.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no parameter " + name);
    }
    return value;
  }

  /** Returns the first value of a query parameter, or null. */
  public @Nullable String query(String name) {
    String query = exchange.getRequestURI().getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0 && decoded(pair.substring(0, equals)).equals(name)) {
        return decoded(pair.substring(equals + 1));
      }
    }
    return null;
  }

  /** Returns whether a text is the whole query. */
  boolean hasQuery(String query) {
    return query.equals(exchange.getRequestURI().getRawQuery());
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new HttpFailure(400, "invalid '%' escape in the address");
    }
  }

  /** Returns the first value of a request header, or null. */
  public @Nullable String header(String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  /**
   * Reads the body, which must be a JSON object.
   *
   * @throws HttpFailure 400 if the body is no JSON object, 413 if it is too long, 415 if its type
   *     is not JSON
   * @throws IOException if the client has disconnected or is too slow
   */
  public Meta body() throws IOException {
    return body(LONGEST_BODY);
  }

  /**
   * Reads the body as {@link #body()} does.
   *
   * @param longest the longest accepted body, in bytes
   */
  public Meta body(int longest) throws IOException {
    byte[] body = bytes(longest);
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      return Meta.parse(text);
    } catch (CharacterCodingException | RalphException e) {
      throw new HttpFailure(400, "the body must be one JSON object in UTF-8: " + e.getMessage());
    }
  }

  /**
   * Reads the body, whose type must be JSON. Forms of other sites cannot send this type.
   *
   * @throws HttpFailure 413 if the body is too long, 415 if its type is not JSON
   * @throws IOException if the client has disconnected or is too slow
   */
  public byte[] bytes() throws IOException {
    return bytes(LONGEST_BODY);
  }

  private byte[] bytes(int longest) throws IOException {
    String type = header("Content-Type");
    if (type == null
        || !type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json")) {
      throw new HttpFailure(415, "the body must be JSON, of Content-Type: application/json");
    }
    begin(RequestDeadlines.TRANSFER);
    InputStream in = exchange.getRequestBody();
    byte[] body = in.readNBytes(longest + 1);
    deadlines.end();
    if (body.length > longest) {
      throw new HttpFailure(413, "the body is too long; the limit is " + longest + " bytes");
    }
    return body;
  }

  /** Sets a header of the response. */
  public void setHeader(String name, String value) {
    exchange.getResponseHeaders().set(name, value);
  }

  /** Sends a response with JSON. */
  public void json(int status, Meta json) throws IOException {
    send(status, "application/json", json.json().getBytes(StandardCharsets.UTF_8));
  }

  /** Sends a response without a body. */
  public void status(int status) throws IOException {
    send(status, null, new byte[0]);
  }

  /**
   * Sends a response.
   *
   * @param type the media type, or null for a response without a body
   */
  public void send(int status, @Nullable String type, byte[] body) throws IOException {
    answered = true;
    Headers headers = exchange.getResponseHeaders();
    SafeHeaders.addTo(headers);
    if (type != null) {
      headers.set("Content-Type", type);
    }
    boolean hasBody = body.length > 0 && !exchange.getRequestMethod().equals("HEAD");
    begin(RequestDeadlines.TRANSFER);
    exchange.sendResponseHeaders(status, hasBody ? body.length : -1);
    if (hasBody) {
      exchange.getResponseBody().write(body);
      exchange.getResponseBody().flush();
    }
    begin(RequestDeadlines.DRAIN); // closing reads the rest of the request's body
    exchange.close();
    deadlines.end();
  }

  /**
   * Responds with an event stream, which continues after the endpoint has returned.
   *
   * @throws HttpFailure 429 if the token has too many streams, 503 if the server has too many
   *     streams
   */
  public EventStream events() throws IOException {
    EventStream stream = new EventStream(exchange, deadlines, header("Last-Event-ID"), isLetIn);
    streams.begin(
        stream,
        token,
        () -> {
          answered = true;
          Headers headers = exchange.getResponseHeaders();
          SafeHeaders.addTo(headers);
          headers.set("Content-Type", "text/event-stream");
          headers.set("X-Accel-Buffering", "no"); // a proxy would buffer events
          begin(RequestDeadlines.TRANSFER);
          exchange.sendResponseHeaders(200, 0);
          deadlines.end();
        });
    return stream;
  }

  /** Closes the connection without a response. */
  public void close() {
    answered = true;
    exchange.close();
  }

  boolean isAnswered() {
    return answered;
  }
}
