package dev.ralph.web.internal.mcp;

import dev.ralph.mcp.SessionServer;
import dev.ralph.web.internal.http.EventStream;
import dev.ralph.web.internal.http.Exchange;
import dev.ralph.web.internal.http.HttpFailure;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The response to a message: JSON for a fast reply, or an event stream, because only writing
 * detects a disconnected client. Safe for use by many threads.
 */
final class HttpReplies implements SessionServer.Replies {

  private static final int METHOD_NOT_FOUND = -32601;

  private final Exchange exchange;
  private final boolean isStateless;
  private final boolean wantsAnswer;
  private final Runnable onGone;
  private final long came = System.nanoTime();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable EventStream stream;
  private boolean done;

  /**
   * Creates a response.
   *
   * @param isStateless whether the HTTP status depends on the error, as since revision 2026-07-28
   * @param wantsAnswer whether the message is a request
   * @param onGone runs if the client disconnects before the reply
   */
  HttpReplies(Exchange exchange, boolean isStateless, boolean wantsAnswer, Runnable onGone) {
    this.exchange = exchange;
    this.isStateless = isStateless;
    this.wantsAnswer = wantsAnswer;
    this.onGone = onGone;
  }

  /** Begins an event stream, unless the reply was sent. */
  void stream() {
    EventStream begun = null;
    lock.lock();
    try {
      if (!done && stream == null) {
        begun = exchange.events();
        stream = begun;
      }
    } catch (HttpFailure | IOException e) {
      // The reply is sent as JSON, or the client has disconnected.
      System.getLogger(HttpReplies.class.getName())
          .log(Level.DEBUG, "cannot open a stream for a call", e);
    } finally {
      lock.unlock();
    }
    if (begun != null) {
      begun.onClosed(this::closed); // without the lock, because the action may run at once
    }
  }

  private void closed() {
    lock.lock();
    try {
      if (done) {
        return;
      }
    } finally {
      lock.unlock();
    }
    onGone.run();
  }

  /** Returns whether the message was received longer ago than an age. */
  boolean isOlderThan(Duration age) {
    return System.nanoTime() - came > age.toNanos();
  }

  /** Returns whether the response is complete. */
  boolean isDone() {
    lock.lock();
    try {
      return done;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean sendBeforeReply(String message) {
    stream();
    lock.lock();
    try {
      return stream != null && stream.send(null, null, message);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean send(String message) {
    return send(200, message);
  }

  @Override
  public boolean refuse(int code, String message) {
    return send(!isStateless ? 200 : code == METHOD_NOT_FOUND ? 404 : 400, message);
  }

  private boolean send(int status, String message) {
    lock.lock();
    try {
      done = true;
      if (stream != null) {
        return stream.send(null, null, message);
      }
      exchange.send(status, "application/json", message.getBytes(StandardCharsets.UTF_8));
      return true;
    } catch (IOException gone) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void end() {
    lock.lock();
    try {
      boolean answered = done;
      done = true;
      if (stream != null) {
        stream.close();
      } else if (!answered && !wantsAnswer) {
        exchange.status(202);
      } else if (!answered) {
        exchange.close(); // the call was cancelled
      }
    } catch (IOException gone) {
      // The client has disconnected.
    } finally {
      lock.unlock();
    }
  }
}
