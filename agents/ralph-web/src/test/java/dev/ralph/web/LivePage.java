package dev.ralph.web;

import dev.ralph.log.Meta;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The HTTP client of a page: sends queries and orders, and reads event streams. */
final class LivePage {

  private static final int SECONDS = 20;

  private final HttpClient client = HttpClient.newHttpClient();
  private final RalphServer server;
  private final String token;

  LivePage(RalphServer server, String token) {
    this.server = server;
    this.token = token;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Returns a file with the gzip encoding that browsers receive. */
  HttpResponse<byte[]> packed(String path) throws IOException, InterruptedException {
    return client.send(
        request(path).header("Accept-Encoding", "gzip, br").build(),
        HttpResponse.BodyHandlers.ofByteArray());
  }

  Meta answer(String path) throws IOException, InterruptedException {
    return Meta.parse(get(path).body());
  }

  HttpResponse<String> order(String session, Meta order) throws IOException, InterruptedException {
    return client.send(
        request("api/sessions/" + session + "/orders")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(order.json()))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.address().getPort() + "/" + path))
        .header("Authorization", "Bearer " + token);
  }

  /** Reads the feed of a session, or of all sessions if the name is empty. */
  Listening listen(String feed) throws IOException, InterruptedException {
    return listen("api/feeds?names=" + feed, null);
  }

  /**
   * Reads an event stream.
   *
   * @param lastId the id of the last received event, or null
   * @throws IOException if the server refuses the stream
   */
  Listening listen(String path, @Nullable String lastId) throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path);
    if (lastId != null) {
      request.header("Last-Event-ID", lastId);
    }
    HttpResponse<InputStream> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      response.body().close();
      throw new IOException("the server answered " + response.statusCode());
    }
    return new Listening(response.body());
  }

  /** An update with its event id. */
  record Update(String id, String event, Meta data) {

    Meta part(String name) {
      return Objects.requireNonNull(Objects.requireNonNull(data.object("parts")).object(name));
    }

    boolean has(String name) {
      return Objects.requireNonNull(data.object("parts")).has(name);
    }
  }

  /** An open event stream. */
  static final class Listening implements AutoCloseable {

    private final InputStream in;
    private final BlockingQueue<Update> updates = new LinkedBlockingQueue<>();
    private final Thread reader;

    private Listening(InputStream in) {
      this.in = in;
      this.reader = new Thread(this::read, "listening");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        String id = "";
        String event = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("id: ")) {
            id = line.substring(4);
          } else if (line.startsWith("event: ")) {
            event = line.substring(7);
          } else if (line.startsWith("data: ") && !event.equals("hello")) {
            updates.add(new Update(id, event, Meta.parse(line.substring(6))));
          } else if (line.isEmpty()) {
            event = "";
          }
        }
      } catch (IOException closed) {
        // closed by the test
      }
    }

    /** Returns the next update. */
    Update next() throws InterruptedException {
      Update update = updates.poll(SECONDS, TimeUnit.SECONDS);
      if (update == null) {
        throw new AssertionError("no update within " + SECONDS + " s");
      }
      return update;
    }

    /** Returns the next update that matches the condition, and skips earlier updates. */
    Update next(Predicate<Update> wanted) throws InterruptedException {
      Update update = next();
      while (!wanted.test(update)) {
        update = next();
      }
      return update;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
