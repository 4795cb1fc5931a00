package dev.ralph.core.internal.view;

import dev.ralph.internal.ForwardingCursor;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.internal.ForwardingFrame;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Records the damage found while reading a store. Sessions show the intact frames; the recorded
 * damage tells which frames are missing.
 */
final class DamageNotingStore extends ForwardingStore {

  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock. */
  @GuardedBy("lock")
  private final Set<Damage> met = new LinkedHashSet<>();

  DamageNotingStore(FrameStore store) {
    super(store);
  }

  /** Returns the damage found so far, without duplicates. */
  List<Damage> damage() {
    lock.lock();
    try {
      return List.copyOf(met);
    } finally {
      lock.unlock();
    }
  }

  void note(List<Damage> found) {
    if (!found.isEmpty()) {
      lock.lock();
      try {
        met.addAll(found);
      } finally {
        lock.unlock();
      }
    }
  }

  private void forget(Damage damage) {
    lock.lock();
    try {
      met.remove(damage);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Frame noting(@Nullable Frame frame) {
    return frame == null ? null : new NotingFrame(frame);
  }

  /** Wraps frames. Uses no stream, because the first stream of a process loads 31 classes. */
  private List<Frame> noting(List<Frame> frames) {
    List<Frame> noting = new ArrayList<>(frames.size());
    for (Frame frame : frames) {
      noting.add(new NotingFrame(frame));
    }
    return Collections.unmodifiableList(noting);
  }

  @Override
  public FrameCursor read(Query query) {
    return new NotingCursor(super.read(query)) {
      @Override
      public @Nullable Frame next() {
        return noting(super.next());
      }
    };
  }

  /** Wraps the appended frames, so that all methods return equal frames. */
  @Override
  public Appended append(Batch batch) {
    Appended appended = super.append(batch);
    return appended.isConflict()
        ? appended
        : Appended.of(noting(appended.frames()), appended.position());
  }

  @Override
  public Optional<Frame> get(String id) {
    return super.get(id).map(NotingFrame::new);
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    return super.last(filter).map(NotingFrame::new);
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    return super.findBatch(batchId, since).map(this::noting);
  }

  /**
   * Reads frames that record no damage, because wrapping each frame takes up to a tenth of the time
   * of a fold. The reader has to {@linkplain #note record} damaged content.
   */
  FrameCursor readPlain(Query query) {
    return new NotingCursor(super.read(query));
  }

  @Override
  public Follower follow(Query query) {
    Follower follower = super.follow(query);
    return new ForwardingFollower(follower) {
      @Override
      public @Nullable Frame poll(Duration timeout) throws InterruptedException {
        Frame frame = follower.poll(timeout);
        note(follower.damage());
        return noting(frame);
      }
    };
  }

  private class NotingCursor extends ForwardingCursor {

    NotingCursor(FrameCursor cursor) {
      super(cursor);
    }

    @Override
    public void close() {
      note(damage());
      super.close();
    }
  }

  /**
   * A frame that records damage of its content, and removes the record if the content is intact.
   */
  private final class NotingFrame extends ForwardingFrame {

    private volatile @Nullable Damage lost;

    NotingFrame(Frame frame) {
      super(frame);
    }

    @Override
    public String content() {
      try {
        String content = super.content();
        Damage before = lost;
        if (before != null) {
          lost = null;
          forget(before);
        }
        return content;
      } catch (DamagedException e) {
        Damage found = Damage.ofContent(this, e);
        lost = found;
        note(List.of(found));
        throw e;
      }
    }
  }
}
