package dev.ralph.store.socket.internal;

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
 * Notifies clients of appended frames. A single follower of the store serves all clients. A client
 * gets the next notification only after acknowledging the last. Therefore a slow client never
 * delays the remaining clients.
 */
final class AppendNotifier implements AutoCloseable {

  private static final Duration POLL = Duration.ofDays(1);

  /** A receiver of notifications. Guarded by the lock of the notifier. */
  private static final class Listener {
    private final Wire wire;
    private boolean hasAcknowledged = true;
    private boolean hasMissed;

    Listener(Wire wire) {
      this.wire = wire;
    }
  }

  private final FrameStore store;
  private final List<Listener> listeners = new ArrayList<>();
  private @Nullable Follower follower;

  AppendNotifier(FrameStore store) {
    this.store = store;
  }

  /** Notifies a client of frames appended from now on, until its connection ends. */
  void serve(Wire wire) {
    Listener listener = new Listener(wire);
    synchronized (this) {
      begin();
      wire.putByte(WireCodec.DONE);
      wire.flush();
      listeners.add(listener);
    }
    try {
      while (true) {
        wire.takeByte();
        acknowledged(listener);
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
      StoreSocket.start("ralph-socket-notify", () -> follow(begun));
    }
  }

  private synchronized void acknowledged(Listener listener) {
    listener.hasAcknowledged = true;
    if (listener.hasMissed) {
      notify(listener);
    }
  }

  private synchronized void notifyClients() {
    for (Listener listener : listeners) {
      notify(listener);
    }
  }

  private static void notify(Listener listener) {
    listener.hasMissed = !listener.hasAcknowledged;
    if (listener.hasAcknowledged) {
      listener.hasAcknowledged = false;
      try {
        listener.wire.putByte(WireCodec.MORE);
        listener.wire.flush();
      } catch (RalphException gone) {
        // the thread that reads from this client ends too
      }
    }
  }

  private void follow(Follower begun) {
    try (begun) {
      while (true) {
        try {
          begun.poll(POLL);
        } catch (ClosedException e) {
          return;
        } catch (RalphException e) {
          Thread.sleep(1_000); // clients also poll, and get the error then
        }
        notifyClients();
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
