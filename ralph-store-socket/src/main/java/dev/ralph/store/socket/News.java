package dev.ralph.store.socket;

import dev.ralph.log.ClosedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients that something was appended. One follower of the store serves all of them. A client
 * is told again once it has said that it has heard, so that one that does not listen holds up
 * nobody.
 */
final class News implements AutoCloseable {

  private static final Duration LONG = Duration.ofDays(1);

  /** A client that listens. Guarded by the lock of all. */
  private static final class Listener {
    private final Wire wire;
    private boolean hears = true;
    private boolean missed;

    Listener(Wire wire) {
      this.wire = wire;
    }
  }

  private final FrameStore store;
  private final List<Listener> listeners = new ArrayList<>();
  private @Nullable Follower follower;

  News(FrameStore store) {
    this.store = store;
  }

  /** Tells a client of what comes from now on, until its connection ends. */
  void tellFromNow(Wire wire) {
    Listener listener = new Listener(wire);
    synchronized (this) {
      begin();
      wire.putByte(Form.DONE);
      wire.flush();
      listeners.add(listener);
    }
    try {
      while (true) {
        wire.takeByte();
        heard(listener);
      }
    } finally {
      synchronized (this) {
        listeners.remove(listener);
      }
    }
  }

  private void begin() {
    if (follower == null) {
      TopicFilter all = TopicFilter.all();
      Position end = store.last(all).map(Frame::position).orElse(Position.START);
      Follower begun = store.follow(Query.of(all).after(end));
      follower = begun;
      StoreSocket.start("ralph-socket-news", () -> follow(begun));
    }
  }

  private synchronized void heard(Listener listener) {
    listener.hears = true;
    if (listener.missed) {
      tell(listener);
    }
  }

  private synchronized void tellAll() {
    for (Listener listener : listeners) {
      tell(listener);
    }
  }

  private static void tell(Listener listener) {
    listener.missed = !listener.hears;
    if (listener.hears) {
      listener.hears = false;
      try {
        listener.wire.putByte(Form.MORE);
        listener.wire.flush();
      } catch (RalphException gone) {
        // as its own thread finds out
      }
    }
  }

  private void follow(Follower begun) {
    try (begun) {
      while (true) {
        try {
          begun.poll(LONG);
        } catch (ClosedException e) {
          return;
        } catch (RalphException e) {
          Thread.sleep(1_000); // clients look by themselves, and meet the failure
        }
        tellAll();
      }
    } catch (InterruptedException nobodyInterruptsIt) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized void close() {
    if (follower != null) {
      follower.close();
    }
  }
}
