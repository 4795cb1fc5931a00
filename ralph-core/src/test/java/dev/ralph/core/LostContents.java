package dev.ralph.core;

import dev.ralph.Ralph;
import dev.ralph.internal.ForwardingCursor;
import dev.ralph.internal.ForwardingFollower;
import dev.ralph.internal.ForwardingFrame;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A store that fails to read the content of some frames, like a store with missing content files.
 * The store also records the ids of the frames whose content is read.
 */
public final class LostContents extends ForwardingStore {

  private final Map<String, RalphException> failures = new ConcurrentHashMap<>();

  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** Wraps a store; no content is lost at first. */
  public LostContents(FrameStore store) {
    super(store);
  }

  /** Returns a {@link Ralph} over this store; closing it closes the store. */
  public Ralph open() {
    return Ralph.over(this);
  }

  /** Makes reads of a frame's content throw an exception. */
  public void fail(String id, RalphException failure) {
    failures.put(id, failure);
  }

  /** Marks a frame's content as damaged. */
  public void lose(String id) {
    fail(id, RalphException.damaged("the file of " + id + " is missing; put it back"));
  }

  /** Makes all contents readable again. */
  public void putBack() {
    failures.clear();
  }

  /** Returns the ids of the frames whose content was read; tests may clear the list. */
  public List<String> asked() {
    return asked;
  }

  @Override
  public Appended append(Batch batch) {
    Appended appended = super.append(batch);
    for (Draft draft : batch.drafts()) {
      String id = draft.id();
      if (id != null && super.get(id).orElseThrow().content().equals(draft.content())) {
        failures.remove(id);
      }
    }
    return appended;
  }

  @Override
  public Optional<Frame> get(String id) {
    return super.get(id).map(Lossy::new);
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    return super.last(filter).map(Lossy::new);
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    return super.findBatch(batchId, since)
        .map(frames -> frames.stream().<Frame>map(Lossy::new).toList());
  }

  @Override
  public FrameCursor read(Query query) {
    return new ForwardingCursor(super.read(query)) {
      @Override
      public @Nullable Frame next() {
        Frame next = super.next();
        return next == null ? null : new Lossy(next);
      }
    };
  }

  @Override
  public Follower follow(Query query) {
    return new ForwardingFollower(super.follow(query)) {
      @Override
      public @Nullable Frame poll(Duration timeout) throws InterruptedException {
        Frame next = super.poll(timeout);
        return next == null ? null : new Lossy(next);
      }
    };
  }

  private final class Lossy extends ForwardingFrame {
    Lossy(Frame frame) {
      super(frame);
    }

    @Override
    public String content() {
      asked.add(id());
      RalphException failure = failures.get(id());
      if (failure != null) {
        throw failure;
      }
      return super.content();
    }
  }
}
