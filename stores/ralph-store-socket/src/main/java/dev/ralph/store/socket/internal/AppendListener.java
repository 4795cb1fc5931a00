package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Receives notifications of appended frames on a connection of its own. */
final class AppendListener implements AutoCloseable {

  private static final long PAUSE_SECONDS = 1;

  private final Connections connections;
  private final Runnable onAppend;
  private final AtomicBoolean listening = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  AppendListener(Connections connections, Runnable onAppend) {
    this.connections = connections;
    this.onAppend = onAppend;
  }

  /** Starts the receiver thread for notifications, unless already started. */
  void listen() {
    if (listening.compareAndSet(false, true)) {
      Thread thread = new Thread(this::listenUntilClosed, "ralph-socket-listen");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void listenUntilClosed() {
    do {
      try {
        receive();
      } catch (RalphException gone) {
        onAppend.run(); // waiting readers read the store, and get the error
      }
    } while (!isClosedWithin(PAUSE_SECONDS));
  }

  private void receive() {
    Wire wire = connections.take();
    try {
      RequestType.LISTEN.put(wire);
      wire.flush();
      WireCodec.takeAnswer(wire);
      while (true) {
        onAppend.run(); // frames may have been appended before the server began to notify
        wire.takeByte();
        wire.putByte(WireCodec.MORE);
        wire.flush();
      }
    } finally {
      connections.release(wire);
    }
  }

  private boolean isClosedWithin(long seconds) {
    try {
      return closed.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException nobodyInterruptsIt) {
      return true;
    }
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
