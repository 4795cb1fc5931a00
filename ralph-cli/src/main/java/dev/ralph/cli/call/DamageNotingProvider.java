package dev.ralph.cli.call;

import dev.ralph.RalphException;
import dev.ralph.log.Damage;
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
import javax.annotation.Nullable;

/**
 * Opens another provider's stores such that the damage met in reading them is noted: a session
 * shows what can be read, and somebody has to say that this is not all.
 */
final class DamageNotingProvider implements FrameStoreProvider {

  private final FrameStoreProvider provider;
  private final List<Damage> met;

  /**
   * Makes the provider.
   *
   * @param met where the damage is added, each piece once
   */
  DamageNotingProvider(FrameStoreProvider provider, List<Damage> met) {
    this.provider = provider;
    this.met = met;
  }

  @Override
  public String name() {
    return provider.name();
  }

  @Override
  public FrameStore open(StoreConfig config) {
    return new Store(provider.open(config), met);
  }

  private static void note(List<Damage> found, List<Damage> met) {
    synchronized (met) {
      for (Damage each : found) {
        if (!met.contains(each)) {
          met.add(each);
        }
      }
    }
  }

  private static final class Store extends ForwardingStore {

    private final List<Damage> met;

    Store(FrameStore store, List<Damage> met) {
      super(store);
      this.met = met;
    }

    @Override
    public FrameCursor read(Query query) {
      return new Cursor(super.read(query), met);
    }
  }

  private static final class Cursor implements FrameCursor {

    private final FrameCursor cursor;
    private final List<Damage> met;

    Cursor(FrameCursor cursor, List<Damage> met) {
      this.cursor = cursor;
      this.met = met;
    }

    @Override
    @Nullable
    public Frame next() {
      Frame frame = cursor.next();
      return frame == null ? null : new ReadFrame(frame, met);
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
      if (!cursor.damage().isEmpty()) {
        note(cursor.damage(), met);
      }
      cursor.close();
    }
  }

  /** A frame that notes when its content is lost, and forgets that when it is there after all. */
  private static final class ReadFrame implements Frame {

    private final Frame frame;
    private final List<Damage> met;
    @Nullable private volatile Damage lost;

    ReadFrame(Frame frame, List<Damage> met) {
      this.frame = frame;
      this.met = met;
    }

    @Override
    public String content() {
      try {
        String content = frame.content();
        Damage before = lost;
        if (before != null) {
          forget(before);
        }
        return content;
      } catch (RalphException e) {
        if (e.code() == RalphException.Code.DAMAGED) {
          Damage found = Damage.ofContent(frame, e);
          lost = found;
          note(List.of(found), met);
        }
        throw e;
      }
    }

    private void forget(Damage damage) {
      synchronized (met) {
        met.remove(damage);
      }
      lost = null;
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
    public boolean isErased() {
      return frame.isErased();
    }
  }
}
