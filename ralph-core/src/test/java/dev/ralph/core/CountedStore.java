package dev.ralph.core;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ForwardingStore;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * A store that counts round trips: calls that would reach a store on a server and return.
 * Notifications of followers are not round trips.
 */
public final class CountedStore extends ForwardingStore {

  private static final Set<String> PLUMBING =
      Set.of("dev.ralph.core.internal.view", "dev.ralph.core", "dev.ralph.spi");

  private final List<String> trips = new CopyOnWriteArrayList<>();

  public CountedStore(FrameStore store) {
    super(store);
  }

  /** Returns the round trips since the previous call, each with its callers, and clears them. */
  public List<String> trips() {
    List<String> made = new ArrayList<>(trips);
    trips.clear();
    return made;
  }

  private void count(String call) {
    String callers =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(
                frames ->
                    frames
                        .filter(frame -> frame.getClassName().startsWith("dev.ralph."))
                        .filter(f -> !PLUMBING.contains(f.getDeclaringClass().getPackageName()))
                        .limit(4)
                        .map(f -> f.getDeclaringClass().getSimpleName() + "." + f.getMethodName())
                        .collect(Collectors.joining(" < ")));
    trips.add(call + " by " + callers);
  }

  @Override
  public Appended append(Batch batch) {
    Appended appended = super.append(batch);
    String actions =
        batch.drafts().stream()
            .map(draft -> draft.topic() + " " + draft.meta().string("action"))
            .collect(Collectors.joining(", "));
    count("append " + actions + (appended.isConflict() ? " in conflict" : ""));
    return appended;
  }

  @Override
  public FrameCursor read(Query query) {
    count("read " + query.filter());
    return super.read(query);
  }

  @Override
  public Optional<Frame> get(String id) {
    count("get");
    return super.get(id);
  }

  @Override
  public Optional<Frame> last(TopicFilter filter) {
    count("last " + filter);
    return super.last(filter);
  }

  @Override
  public SortedSet<Topic> topics(TopicFilter filter) {
    count("topics " + filter);
    return super.topics(filter);
  }

  @Override
  public Optional<List<Frame>> findBatch(String batchId, Position since) {
    count("findBatch");
    return super.findBatch(batchId, since);
  }

  @Override
  public int erase(Collection<String> ids) {
    count("erase");
    return super.erase(ids);
  }

  @Override
  public SnapshotStore snapshots() {
    SnapshotStore snapshots = super.snapshots();
    return new SnapshotStore() {
      @Override
      public Optional<Snapshot> load(Snapshot.Key key) {
        count("load the snapshot of " + key.filter());
        return snapshots.load(key);
      }

      @Override
      public void save(Snapshot.Key key, Snapshot snapshot) {
        count("save the snapshot of " + key.filter());
        snapshots.save(key, snapshot);
      }
    };
  }
}
