package dev.ralph.store.socket;

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

/** A client's connections. One is used by one call or one cursor at a time. */
final class Connections implements AutoCloseable {

  private static final int MOST_IDLE = 4;

  /** How long a server may take to greet. */
  private static final int PATIENCE_SECONDS = 10;

  private final Path socket;
  private final String address;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Wire> idle = new ArrayDeque<>();
  private final Set<Wire> open = new HashSet<>();
  private @Nullable StoreInfo info;

  /** Null where the store goes by the clock of the machine. */
  private @Nullable Clock clock;

  private boolean closed;

  Connections(Path socket, String address) {
    this.socket = socket;
    this.address = address;
  }

  /**
   * Connects for the first time.
   *
   * @throws RalphException NOT_FOUND if nobody serves a store there; INVALID if something else is
   *     there; UNSUPPORTED if it talks in another way
   */
  StoreInfo begin() {
    try {
      giveBack(connect());
    } catch (IOException e) {
      throw RalphException.notFound(
          "no store is served at " + address + " any more, or by another user: " + e.getMessage());
    }
    return info();
  }

  private StoreInfo info() {
    StoreInfo known = info;
    if (known == null) {
      throw new IllegalStateException("nobody was connected yet");
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

  /** Returns a connection, which has to be given back. */
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
          "the process that served the store at " + address + " has ended: " + e.getMessage(), e);
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
      greet(wire);
      return wire;
    } catch (RuntimeException e) {
      drop(wire);
      throw e;
    }
  }

  /** An interrupt is kept for afterwards. */
  private SocketChannel dial() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (ClosedByInterruptException e) {
          // once more
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void greet(Wire wire) {
    wire.patience(PATIENCE_SECONDS);
    wire.putInt(Form.MAGIC);
    wire.putInt(Form.VERSION);
    wire.flush();
    if (wire.takeInt() != Form.MAGIC) {
      throw RalphException.invalid("what answers at " + address + " serves no store");
    }
    int version = wire.takeInt();
    if (version != Form.VERSION) {
      throw RalphException.unsupported(
          "the process that serves the store at "
              + address
              + " is of another version of ralph (form "
              + version
              + "; this one has "
              + Form.VERSION
              + "); use the same one for both");
    }
    wire.begin();
    Form.takeAnswer(wire);
    StoreInfo told = Form.takeInfo(wire, address);
    boolean hasClock = wire.takeFlag();
    long time = wire.takeLong();
    wire.end();
    wire.patience(0);
    lock.lock();
    try {
      if (info == null) {
        info = told;
        clock = hasClock ? new ServedClock(time) : null;
      }
    } finally {
      lock.unlock();
    }
  }

  void giveBack(Wire wire) {
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
