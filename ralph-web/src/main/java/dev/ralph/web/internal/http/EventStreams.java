package dev.ralph.web.internal.http;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/** The open event streams, each with a thread that sends events. */
final class EventStreams implements AutoCloseable {

  private static final int MOST = 256;
  private static final int MOST_OF_ONE = 16;

  private final ExecutorService threads = Threads.unbounded("ralph-web-events");
  private final Semaphore free = new Semaphore(MOST);

  /** The number of open streams by the id of their token. */
  private final Map<String, Integer> counts = new ConcurrentHashMap<>();

  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Sends the head of a response. */
  @FunctionalInterface
  interface Beginning {
    void send() throws IOException;
  }

  /**
   * Starts to send events.
   *
   * @param token the id of the token that opens the stream
   * @throws HttpFailure 429 if the token has too many streams, 503 if the server has too many
   *     streams
   */
  void begin(EventStream stream, String token, Beginning beginning) throws IOException {
    if (counts.merge(token, 1, Integer::sum) > MOST_OF_ONE) {
      ended(token);
      throw new HttpFailure(
          429, "this token has " + MOST_OF_ONE + " streams of events, its limit; close some pages");
    }
    if (closed || !free.tryAcquire()) {
      ended(token);
      throw new HttpFailure(
          503, "too many pages listen at once (" + MOST + "); close some and load this one again");
    }
    boolean began = false;
    try {
      beginning.send();
      open.add(stream);
      threads.execute(
          () -> {
            try {
              stream.run();
            } finally {
              release(stream, token);
            }
          });
      began = true;
    } finally {
      if (!began) {
        release(stream, token);
      }
    }
    if (closed) {
      stream.close();
    }
  }

  private void release(EventStream stream, String token) {
    open.remove(stream);
    free.release();
    ended(token);
  }

  private void ended(String token) {
    counts.computeIfPresent(token, (unused, count) -> count == 1 ? null : count - 1);
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(EventStream::close);
    threads.shutdown();
  }
}
