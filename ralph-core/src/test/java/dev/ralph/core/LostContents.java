package dev.ralph.core;

import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.StoreConfig;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A store in which the content of some frames can't be read, as where it lies beside the log. */
public final class LostContents extends ForwardingStore {

  private final Map<String, Code> failures = new ConcurrentHashMap<>();

  /** Wraps a store of which nothing is lost so far. */
  public LostContents(FrameStore store) {
    super(store);
  }

  /** Opens the sessions of this store; closing them closes it. */
  public Ralph open() {
    FrameStoreProvider provider =
        new FrameStoreProvider() {
          @Override
          public String name() {
            return "lost";
          }

          @Override
          public FrameStore open(StoreConfig config) {
            return LostContents.this;
          }
        };
    return Ralph.builder().store("lost").providers(List.of(provider)).open();
  }

  /** Makes the content of the frame of that id fail with that code. */
  public void fail(String id, Code code) {
    failures.put(id, code);
  }

  /** Makes the content of the frame of that id damaged. */
  public void lose(String id) {
    fail(id, Code.DAMAGED);
  }

  /** Puts back whatever was lost. */
  public void putBack() {
    failures.clear();
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
  public FrameCursor read(Query query) {
    FrameCursor cursor = super.read(query);
    return new FrameCursor() {
      @Override
      public Frame next() {
        Frame next = cursor.next();
        return next == null ? null : new Lossy(next);
      }

      @Override
      public Position position() {
        return cursor.position();
      }

      @Override
      public List<Damage> damage() {
        return cursor.damage();
      }

      @Override
      public void close() {
        cursor.close();
      }
    };
  }

  private final class Lossy implements Frame {
    private final Frame frame;

    Lossy(Frame frame) {
      this.frame = frame;
    }

    @Override
    public String id() {
      return frame.id();
    }

    @Override
    public Topic topic() {
      return frame.topic();
    }

    @Override
    public Position position() {
      return frame.position();
    }

    @Override
    public Instant time() {
      return frame.time();
    }

    @Override
    public Meta meta() {
      return frame.meta();
    }

    @Override
    public String content() {
      Code failure = failures.get(id());
      if (failure != null) {
        throw new RalphException(failure, "the file of " + id() + " is missing; put it back");
      }
      return frame.content();
    }
  }
}
