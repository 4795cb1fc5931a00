package dev.ralph.store.socket;

import dev.ralph.log.RalphException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Hears over a connection of its own that something was appended. */
final class Wakeups implements AutoCloseable {

  private static final long PAUSE_SECONDS = 1;

  private final Connections connections;
  private final Runnable onNews;
  private final AtomicBoolean listening = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  Wakeups(Connections connections, Runnable onNews) {
    this.connections = connections;
    this.onNews = onNews;
  }

  /** Begins to listen, the first time. */
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
        hear();
      } catch (RalphException gone) {
        onNews.run(); // those who wait find out by reading
      }
    } while (!isClosedWithin(PAUSE_SECONDS));
  }

  private void hear() {
    Wire wire = connections.take();
    try {
      Request.LISTEN.put(wire);
      wire.flush();
      Form.takeAnswer(wire);
      while (true) {
        onNews.run(); // also of what came before anybody listened
        wire.takeByte();
        wire.putByte(Form.MORE);
        wire.flush();
      }
    } finally {
      connections.giveBack(wire);
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
