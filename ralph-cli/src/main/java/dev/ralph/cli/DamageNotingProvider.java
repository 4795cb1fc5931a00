package dev.ralph.cli;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.StoreInfo;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Appended;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Follower;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.FrameStoreProvider;
import dev.ralph.spi.Query;
import dev.ralph.spi.SnapshotStore;
import dev.ralph.spi.StoreConfig;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import javax.annotation.Nullable;

/**
 * Opens another provider's stores such that the damage met in reading them is noted: a session shows
 * what can be read, and somebody has to say that this is not all.
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
    if (found.isEmpty()) {
      return;
    }
    synchronized (met) {
      for (Damage each : found) {
        if (!met.contains(each)) {
          met.add(each);
        }
      }
    }
  }

  private static final class Store implements FrameStore {

    private final FrameStore store;
    private final List<Damage> met;

    Store(FrameStore store, List<Damage> met) {
      this.store = store;
      this.met = met;
    }

    @Override
    public FrameCursor read(Query query) {
      return new Cursor(store.read(query), met);
    }

    @Override
    public StoreInfo info() {
      return store.info();
    }

    @Override
    public Appended append(Batch batch) {
      return store.append(batch);
    }

    @Override
    public Follower follow(Query query) {
      return store.follow(query);
    }

    @Override
    public Optional<Frame> get(String id) {
      return store.get(id);
    }

    @Override
    public Optional<Frame> last(TopicFilter filter) {
      return store.last(filter);
    }

    @Override
    public SortedSet<Topic> topics(TopicFilter filter) {
      return store.topics(filter);
    }

    @Override
    public Optional<List<Frame>> findBatch(String batchId, Position since) {
      return store.findBatch(batchId, since);
    }

    @Override
    public List<Damage> verify() {
      return store.verify();
    }

    @Override
    public SnapshotStore snapshots() {
      return store.snapshots();
    }

    @Override
    public void close() {
      store.close();
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
      return cursor.next();
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
      note(cursor.damage(), met);
      cursor.close();
    }
  }
}
