package dev.ralph.core.internal.view;

import dev.ralph.log.Erasure;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ListReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * What somebody reads who looks at several views again and again. A look asks the store once for
 * what has come; the views take it from here. Safe for use by many threads.
 */
public final class SharedReading {

  /** Where more has come than this, each view reads by itself. */
  private static final int MOST_KEPT = 256;

  private final StoreHandle log;
  private final TopicFilter filter;
  private final ReentrantLock lock = new ReentrantLock();

  /** What came behind a place, as far as it is kept. */
  @GuardedBy("lock")
  private List<Frame> frames = List.of();

  @GuardedBy("lock")
  private Position since = Position.START;

  /** Up to where it was read. */
  @GuardedBy("lock")
  private Position end = Position.START;

  /** Whether the last look failed. */
  @GuardedBy("lock")
  private boolean isBehind;

  /**
   * @param filter selects the frames of all the views
   */
  public SharedReading(StoreHandle log, TopicFilter filter) {
    this.log = log;
    this.filter = filter;
  }

  /** Looks at what has come. If that fails, each view reads by itself until the next look. */
  public void look() {
    lock.lock();
    try {
      isBehind = true;
      List<Frame> news = new ArrayList<>();
      boolean isErased = false; // what is kept then holds what is gone
      try (FrameCursor cursor = log.readPlain(Query.of(filter).after(end).limit(MOST_KEPT))) {
        for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
          news.add(frame);
          isErased |= Erasure.isNotice(frame);
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

  /** Returns up to where the last look has read. */
  public Position end() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads what the last look has seen, or all that there is now where that is not kept. The cursor
   * must be closed.
   *
   * @param query selects none but frames of the views, oldest first
   */
  public FrameCursor read(Query query) {
    lock.lock();
    try {
      return isBehind || since.isAfter(query.after())
          ? log.readPlain(query)
          : new ListReader(frames, query, lock, () -> {});
    } finally {
      lock.unlock();
    }
  }
}
