package dev.ralph.store.socket.internal;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames page by page. The server's cursor belongs to the connection, so this cursor keeps
 * the connection until it is closed.
 */
final class SocketCursor implements FrameCursor {

  private final SocketFrameStore store;
  private final Connections connections;
  private final Query query;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Frame> page = new ArrayDeque<>();
  private final List<Damage> damage = new ArrayList<>();

  /** The connection; null before the first page is requested. */
  private @Nullable Wire wire;

  /** The number of frames that the query's limit still allows. */
  private long left;

  /** The position after the last frame that was returned. */
  private Position position;

  /** The error that the next read throws after the frames of the page; null for none. */
  private @Nullable RalphException failure;

  private boolean closed;

  SocketCursor(SocketFrameStore store, Connections connections, Query query) {
    this.store = store;
    this.connections = connections;
    this.query = query;
    this.left = query.limit();
    this.position = query.after();
    connections.requireOpen();
    if (query.isBackward()) {
      fetch(); // a backward read begins at the present end of the log
    }
  }

  @Override
  public @Nullable Frame next() {
    lock.lock();
    try {
      connections.requireOpen();
      if (closed) {
        throw RalphException.closed("the reader");
      }
      if (page.isEmpty() && failure == null && left > 0) {
        fetch(); // only the server knows whether the log has grown
      }
      Frame frame = page.pollFirst();
      if (frame != null) {
        left--;
        position = frame.position();
      } else if (failure != null) {
        RalphException thrown = failure;
        failure = null;
        throw thrown;
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  private void fetch() {
    Wire from = wire;
    if (from == null) {
      from = connections.take();
      wire = from;
      RequestType.READ.put(from);
      WireCodec.putQuery(from, query);
    } else if (from.isIdle()) {
      RequestType.MORE.put(from);
    } else {
      throw RalphException.io("the connection to " + store.info().location() + " broke");
    }
    try {
      from.flush();
      take(from);
    } catch (RalphException e) {
      failure = e;
    }
  }

  private void take(Wire from) {
    int answer = WireCodec.takeAnswer(from);
    while (answer == WireCodec.FRAME) {
      page.addLast(WireCodec.takeFrame(from, store));
      answer = WireCodec.takeAnswer(from);
    }
    damage.addAll(WireCodec.takeDamage(from));
    if (answer == WireCodec.DONE) {
      position = Position.of(from.takeLong());
    }
    from.end();
  }

  @Override
  public Position position() {
    lock.lock();
    try {
      return position;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<Damage> damage() {
    lock.lock();
    try {
      return List.copyOf(damage);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      page.clear();
      if (wire != null) {
        release(wire);
      }
    } finally {
      lock.unlock();
    }
  }

  private void release(Wire used) {
    try {
      if (used.isIdle()) {
        RequestType.ENOUGH.put(used);
        used.flush();
        used.end();
      }
    } catch (RalphException gone) {
      // the server has closed its cursor with the connection
    } finally {
      connections.release(used);
    }
  }
}
