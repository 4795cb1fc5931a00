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

  /** The number of streams of a token from which lost connections are detected sooner. */
  private static final int MANY_OF_ONE = 8;

  private final ExecutorService threads = ServerThreads.unbounded("ralph-web-events");
  private final Semaphore free = new Semaphore(MOST);

  /** The open streams of each token, by its id. */
  private final Map<String, OfToken> tokens = new ConcurrentHashMap<>();

  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** The number of open streams of a token, and the check that they share. */
  private record OfToken(int count, TokenCheck check) {

    OfToken withCount(int changed) {
      return new OfToken(changed, check);
    }
  }

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
    OfToken first = new OfToken(1, new TokenCheck(System::nanoTime));
    OfToken all = tokens.merge(token, first, (known, any) -> known.withCount(known.count() + 1));
    if (all.count() > MOST_OF_ONE) {
      ended(token);
      throw new HttpFailure(
          429, "this token has " + MOST_OF_ONE + " event streams, the limit; close some pages");
    }
    if (closed || !free.tryAcquire()) {
      ended(token);
      throw new HttpFailure(
          503, "too many pages are open (" + MOST + "); close some pages, then reload this page");
    }
    boolean began = false;
    try {
      beginning.send();
      open.add(stream);
      threads.execute(
          () -> {
            try {
              stream.run(all.check(), () -> hasMany(token));
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

  private boolean hasMany(String token) {
    OfToken all = tokens.get(token);
    return all != null && all.count() >= MANY_OF_ONE;
  }

  private void release(EventStream stream, String token) {
    open.remove(stream);
    free.release();
    ended(token);
  }

  private void ended(String token) {
    tokens.computeIfPresent(
        token, (any, all) -> all.count() == 1 ? null : all.withCount(all.count() - 1));
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(EventStream::close);
    threads.shutdown();
  }
}
