package dev.ralph.web.internal.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A stream of server-sent events to one client. Safe for use by many threads. */
public final class EventStream implements AutoCloseable {

  /** The interval of empty comments, by which both sides detect a lost connection. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(3);

  /** The interval between checks that the token is still valid. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private static final Duration LONGEST_WRITE = Duration.ofSeconds(20);

  /**
   * The most unsent bytes. A slower client is disconnected, and can reconnect with the id of its
   * last event.
   */
  private static final int MOST_WAITING_BYTES = 4 << 20;

  private static final byte[] NOTHING = ":\n\n".getBytes(StandardCharsets.UTF_8);

  private final HttpExchange exchange;
  private final RequestDeadlines deadlines;
  private final @Nullable String lastEventId;
  private final BooleanSupplier isLetIn;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by the lock.
  private final Queue<byte[]> waiting = new ArrayDeque<>();
  private final List<Runnable> onClosed = new ArrayList<>();
  private int waitingBytes;
  private boolean ending;
  private boolean closed;

  /**
   * Creates a stream.
   *
   * @param isLetIn returns whether the token is still valid; called once per second at most
   */
  EventStream(
      HttpExchange exchange,
      RequestDeadlines deadlines,
      @Nullable String lastEventId,
      BooleanSupplier isLetIn) {
    this.exchange = exchange;
    this.deadlines = deadlines;
    this.lastEventId = lastEventId;
    this.isLetIn = isLetIn;
  }

  /** Returns the id of the last event that a reconnecting client received, or null. */
  public @Nullable String lastEventId() {
    return lastEventId;
  }

  /**
   * Enqueues an event. Never waits for the client: a client that does not read is disconnected.
   *
   * @param id the id that a reconnecting client sends, without line breaks; null for an event that
   *     clients may miss
   * @param event the type, without line breaks; null for {@code message}
   * @param data the data, which may have several lines
   * @return false if the client has disconnected
   */
  public boolean send(@Nullable String id, @Nullable String event, String data) {
    StringBuilder text = new StringBuilder();
    if (id != null) {
      text.append("id: ").append(line(id)).append('\n');
    }
    if (event != null) {
      text.append("event: ").append(line(event)).append('\n');
    }
    // A carriage return also ends a line.
    for (String line : data.split("\r\n|\r|\n", -1)) {
      text.append("data: ").append(line).append('\n');
    }
    byte[] bytes = text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      if (ending || closed) {
        return false;
      }
      if (waitingBytes > 0 && waitingBytes + bytes.length > MOST_WAITING_BYTES) {
        waiting.clear();
        waitingBytes = 0;
        ending = true;
      } else {
        waiting.add(bytes);
        waitingBytes += bytes.length;
      }
      changed.signalAll();
      return !ending;
    } finally {
      lock.unlock();
    }
  }

  private static String line(String text) {
    if (text.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
      throw new IllegalArgumentException("must be one line");
    }
    return text;
  }

  /**
   * Runs an action once after the client has disconnected, or at once if it has disconnected
   * already. The action runs on the sending thread without a lock.
   */
  public void onClosed(Runnable action) {
    lock.lock();
    try {
      if (!closed) {
        onClosed.add(action);
        return;
      }
    } finally {
      lock.unlock();
    }
    action.run();
  }

  /** Ends the stream after all enqueued events are sent. Does not wait. */
  @Override
  public void close() {
    lock.lock();
    try {
      ending = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends events until the stream ends, the client disconnects or its token becomes invalid.
   *
   * @param check the check of the token, shared with the token's other streams
   * @param isCrowded returns whether the token has many streams. The heartbeat is then sent each
   *     second, to detect streams of closed pages before the limit refuses a new page
   */
  void run(TokenCheck check, BooleanSupplier isCrowded) {
    try {
      write(NOTHING); // sends the headers
      long written = System.nanoTime();
      long checked = written;
      while (true) {
        byte[] next = next();
        if (next == null) {
          return;
        }
        long now = System.nanoTime();
        if (now - checked >= CHECK.toNanos()) {
          checked = now;
          if (!check.isValid(isLetIn)) {
            return;
          }
        }
        Duration beat = isCrowded.getAsBoolean() ? CHECK : HEARTBEAT;
        if (next.length > 0 || now - written >= beat.toNanos()) {
          write(next.length > 0 ? next : NOTHING);
          written = System.nanoTime();
        }
      }
    } catch (IOException gone) {
      // A client may disconnect at any time.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      deadlines.begin(LONGEST_WRITE);
      exchange.close();
      deadlines.end();
      ended();
    }
  }

  private void write(byte[] bytes) throws IOException {
    deadlines.begin(LONGEST_WRITE);
    try {
      OutputStream out = exchange.getResponseBody();
      out.write(bytes);
      out.flush();
    } finally {
      deadlines.end();
    }
  }

  /**
   * Returns the next bytes to send, an empty array after a second without events, or null at the
   * end.
   */
  private byte @Nullable [] next() throws InterruptedException {
    lock.lock();
    try {
      long left = CHECK.toNanos();
      while (waiting.isEmpty() && !ending && left > 0) {
        left = changed.awaitNanos(left);
      }
      byte[] next = waiting.poll();
      if (next == null) {
        return ending ? null : new byte[0];
      }
      waitingBytes -= next.length;
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void ended() {
    List<Runnable> actions;
    lock.lock();
    try {
      closed = true;
      waiting.clear();
      waitingBytes = 0;
      actions = List.copyOf(onClosed);
      onClosed.clear();
    } finally {
      lock.unlock();
    }
    actions.forEach(Runnable::run);
  }
}
