package dev.ralph.web.internal.http;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/** The streams of events that go on, each with a thread that sends. */
final class EventStreams implements AutoCloseable {

  private static final int MOST = 256;

  private final ExecutorService threads = Threads.unbounded("ralph-web-events");
  private final Semaphore free = new Semaphore(MOST);
  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Sends the beginning of a response. */
  @FunctionalInterface
  interface Beginning {
    void send() throws IOException;
  }

  /**
   * Begins to send events.
   *
   * @throws HttpFailure 503 if there are too many streams
   */
  void begin(EventStream stream, Beginning beginning) throws IOException {
    if (closed || !free.tryAcquire()) {
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
              open.remove(stream);
              free.release();
            }
          });
      began = true;
    } finally {
      if (!began) {
        open.remove(stream);
        free.release();
      }
    }
    if (closed) {
      stream.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(EventStream::close);
    threads.shutdown();
  }
}
