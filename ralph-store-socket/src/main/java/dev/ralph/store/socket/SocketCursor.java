package dev.ralph.store.socket;

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
 * Frames as they come, some at a time. The cursor at the other end belongs to the connection, which
 * is kept until this is closed.
 */
final class SocketCursor implements FrameCursor {

  private final SocketFrameStore store;
  private final Connections connections;
  private final Query query;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Frame> came = new ArrayDeque<>();
  private final List<Damage> damage = new ArrayList<>();

  /** The connection, from the first frame that was asked for on. */
  private @Nullable Wire wire;

  private long left;

  /** Up to where frames were returned. */
  private Position position;

  /** What the next read fails with, once all that came before is taken. */
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
      fetch(); // it begins at the end that the log has now
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
      if (came.isEmpty() && failure == null && left > 0) {
        fetch(); // that nothing is left is only ever said of the log as it is now
      }
      Frame frame = came.pollFirst();
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
      Request.READ.put(from);
      Form.putQuery(from, query);
    } else if (from.isIdle()) {
      Request.MORE.put(from);
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
    int answer = Form.takeAnswer(from);
    while (answer == Form.FRAME) {
      came.addLast(Form.takeFrame(from, store));
      answer = Form.takeAnswer(from);
    }
    damage.addAll(Form.takeDamage(from));
    if (answer == Form.DONE) {
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
      came.clear();
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
        Request.ENOUGH.put(used);
        used.flush();
        used.end();
      }
    } catch (RalphException gone) {
      // then nobody reads for this any more
    } finally {
      connections.giveBack(used);
    }
  }
}
