package dev.ralph.spi;

import java.util.Optional;

/**
 * Keeps states folded from a log, so that later readers need not read the frames before the
 * snapshot. Snapshots may be lost at any time. A store without snapshots returns an empty result
 * for each key. Safe for use by many threads.
 *
 * <p>A snapshot may contain data of erased frames. Therefore a store that erases frames deletes the
 * snapshots of the frames' topics, and ignores later saves of states from before the erasure.
 */
public interface SnapshotStore {

  /** Returns the newest snapshot of a key, or empty if the snapshot is missing or unreadable. */
  Optional<Snapshot> load(Snapshot.Key key);

  /** Saves a snapshot in place of the key's earlier snapshot. Callers log and ignore failures. */
  void save(Snapshot.Key key, Snapshot snapshot);
}
