package dev.ralph.core.internal.view;

import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * Reads new frames once for several views that are read repeatedly. Each read asks the store once,
 * and the views take the new frames from this object. Safe for use by many threads.
 */
public final class SharedReading {

  /** The most kept frames. After more new frames, each view reads by itself. */
  private static final int MOST_KEPT = 256;

  private final StoreHandle log;
  private final TopicFilter filter;
  private final ReentrantLock lock = new ReentrantLock();

  /** The kept frames after the position {@link #since}. */
  @GuardedBy("lock")
  private List<Frame> frames = List.of();

  @GuardedBy("lock")
  private Position since = Position.START;

  /** The position up to which frames were read. */
  @GuardedBy("lock")
  private Position end = Position.START;

  /** Whether the last read failed. */
  @GuardedBy("lock")
  private boolean isBehind;

  /**
   * @param filter selects the frames of all views
   */
  public SharedReading(StoreHandle log, TopicFilter filter) {
    this.log = log;
    this.filter = filter;
  }

  /** Reads the new frames. After a failure, each view reads by itself until the next call. */
  public void readNewFrames() {
    lock.lock();
    try {
      isBehind = true;
      List<Frame> news = new ArrayList<>();
      boolean isErased = false; // whether kept frames may have been erased
      try (FrameCursor cursor = log.readPlain(Query.of(filter).after(end).limit(MOST_KEPT))) {
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          news.add(frame);
          isErased |= frame.isErasureNotice();
        }
        if (news.size() < MOST_KEPT && !isErased && cursor.damage().isEmpty()) {
          keep(news);
          end = end.isAfter(cursor.position()) ? end : cursor.position();
        } else {
          end = log.store().last(filter).map(Frame::position).orElse(end);
          frames = List.of();
          since = end;
        }
      }
      isBehind = false;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void keep(List<Frame> news) {
    if (frames.size() + news.size() > MOST_KEPT) {
      frames = List.of();
      since = end;
    }
    List<Frame> all = new ArrayList<>(frames);
    all.addAll(news);
    frames = List.copyOf(all);
  }

  /** Returns the position up to which frames were read. */
  public Position end() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a cursor over the frames up to the last read, or over all present frames if the last
   * frames are not kept. The caller closes the cursor.
   *
   * @param query selects only frames of the views, oldest first
   */
  public FrameCursor read(Query query) {
    lock.lock();
    try {
      return isBehind || since.isAfter(query.after())
          ? log.readPlain(query)
          : FrameCursor.of(frames, query, lock, () -> {});
    } finally {
      lock.unlock();
    }
  }
}
