package dev.ralph.spi;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Damage;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A store that forwards each call to another store, including {@link #close()}. Extend the class to
 * change a few methods. No method calls another method of this class. As safe for use by many
 * threads as the wrapped store.
 */
public abstract class ForwardingStore implements FrameStore {

  private final FrameStore store;

  /**
   * Creates a wrapper of a store.
   *
   * @param store receives each call; closed together with this store
   */
  protected ForwardingStore(FrameStore store) {
    this.store = store;
  }

  @Override
  public Clock clock(Clock host) {
    return store.clock(host);
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
  public List<String> leftovers() {
    return store.leftovers();
  }

  @Override
  public List<String> removeLeftovers() {
    return store.removeLeftovers();
  }

  @Override
  public int erase(Collection<String> ids) {
    return store.erase(ids);
  }

  @Override
  public int erase(TopicFilter filter) {
    return store.erase(filter);
  }

  @Override
  public long compact() {
    return store.compact();
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
