package dev.ralph.core.internal.view;

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
import dev.ralph.spi.Query;
import dev.ralph.spi.SnapshotStore;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** Another store, of which a test replaces what it wants to go wrong. */
class ForwardingStore implements FrameStore {

  private final FrameStore store;

  ForwardingStore(FrameStore store) {
    this.store = store;
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
  public FrameCursor read(Query query) {
    return store.read(query);
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
