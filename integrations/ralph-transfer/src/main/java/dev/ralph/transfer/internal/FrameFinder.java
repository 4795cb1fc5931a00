package dev.ralph.transfer.internal;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames of a file in a store that holds them in nearly the same order, faster than a
 * lookup by id. Not thread-safe.
 */
final class FrameFinder implements AutoCloseable {

  private static final int LOOK_AHEAD = 64;

  private final FrameLog store;
  private FrameCursor cursor;

  /** Starts after the given position. */
  FrameFinder(FrameLog store, Position from) {
    this.store = store;
    this.cursor = read(from);
  }

  private FrameCursor read(Position from) {
    return store.read(Query.of(TopicFilter.all()).after(from));
  }

  /**
   * Reads forward to the frame with the given id. Returns the frame, or null if the next few frames
   * do not contain the id.
   */
  @Nullable Frame ahead(String id) {
    for (int i = 0; i < LOOK_AHEAD; i++) {
      Frame next = cursor.next();
      if (next == null || next.id().equals(id)) {
        return next;
      }
    }
    return null;
  }

  /**
   * Looks up the frame by id and continues after it; returns null and does not move if the store
   * lacks the frame.
   */
  @Nullable Frame anywhere(String id) {
    Optional<Frame> frame = store.get(id);
    if (frame.isPresent()) {
      cursor.close();
      cursor = read(frame.get().position());
    }
    return frame.orElse(null);
  }

  @Override
  public void close() {
    cursor.close();
  }
}
