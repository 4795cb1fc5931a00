package dev.ralph.store.socket.internal;

import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A client's connection pool. A connection serves a single call or cursor at a time. */
final class Connections implements AutoCloseable {

  private static final int MOST_IDLE = 4;

  /** The timeout of the handshake. */
  private static final int HANDSHAKE_SECONDS = 10;

  private final Path socket;
  private final String address;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Wire> idle = new ArrayDeque<>();
  private final Set<Wire> open = new HashSet<>();
  private @Nullable StoreInfo info;

  /** The server's clock; null if the served store uses the system clock. */
  private @Nullable Clock clock;

  private boolean closed;

  Connections(Path socket, String address) {
    this.socket = socket;
    this.address = address;
  }

  /**
   * Opens the first connection and returns what the server states about the store.
   *
   * @throws RalphException NOT_FOUND if no process serves a store at the address; INVALID if
   *     another kind of server answers; UNSUPPORTED if the server has another protocol version
   */
  StoreInfo begin() {
    try {
      release(connect());
    } catch (IOException e) {
      throw RalphException.notFound(
          "no process serves a store at "
              + address
              + ", or the process belongs to a different"
              + " user: "
              + e.getMessage());
    }
    return info();
  }

  private StoreInfo info() {
    StoreInfo known = info;
    if (known == null) {
      throw new IllegalStateException("no connection was opened yet");
    }
    return known;
  }

  @Nullable Clock clock() {
    requireOpen();
    return clock;
  }

  void requireOpen() {
    lock.lock();
    try {
      if (closed) {
        throw RalphException.closed("the store");
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns an idle connection or a new one. The caller has to {@link #release} the connection. */
  Wire take() {
    lock.lock();
    try {
      requireOpen();
      Wire found = idle.pollFirst();
      if (found != null) {
        return found;
      }
    } finally {
      lock.unlock();
    }
    try {
      return connect();
    } catch (IOException e) {
      throw RalphException.io(
          "the server of the store at " + address + " has ended: " + e.getMessage(), e);
    }
  }

  private Wire connect() throws IOException {
    Wire wire = Wire.of(dial(), "the server of " + address);
    try {
      lock.lock();
      try {
        requireOpen();
        open.add(wire);
      } finally {
        lock.unlock();
      }
      shakeHands(wire);
      return wire;
    } catch (RuntimeException e) {
      drop(wire);
      throw e;
    }
  }

  /** Connects. An interrupt does not stop the attempt; the thread is interrupted afterwards. */
  private SocketChannel dial() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (ClosedByInterruptException e) {
          // try again
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void shakeHands(Wire wire) {
    wire.timeout(HANDSHAKE_SECONDS);
    wire.putInt(WireCodec.MAGIC);
    wire.putInt(WireCodec.VERSION);
    wire.flush();
    if (wire.takeInt() != WireCodec.MAGIC) {
      throw RalphException.invalid("the server at " + address + " is not a store of ralph");
    }
    int version = wire.takeInt();
    if (version != WireCodec.VERSION) {
      throw RalphException.unsupported(
          "the server of the store at "
              + address
              + " has a different version of ralph (protocol "
              + version
              + ", here "
              + WireCodec.VERSION
              + "); use the same version on both sides");
    }
    wire.begin();
    WireCodec.takeAnswer(wire);
    StoreInfo served = WireCodec.takeInfo(wire, address);
    boolean hasClock = wire.takeFlag();
    long time = wire.takeLong();
    wire.end();
    wire.timeout(0);
    lock.lock();
    try {
      if (info == null) {
        info = served;
        clock = hasClock ? new ServedClock(time) : null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Keeps the connection for the next call, or closes it if the connection is in use or spare. */
  void release(Wire wire) {
    lock.lock();
    try {
      if (!closed && wire.isIdle() && idle.size() < MOST_IDLE) {
        idle.addFirst(wire);
        return;
      }
    } finally {
      lock.unlock();
    }
    drop(wire);
  }

  private void drop(Wire wire) {
    lock.lock();
    try {
      open.remove(wire);
    } finally {
      lock.unlock();
    }
    wire.close();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      idle.clear();
      for (Wire wire : open) {
        wire.close();
      }
      open.clear();
    } finally {
      lock.unlock();
    }
  }
}
