package dev.ralph.spi;

import java.util.Optional;

/**
 * Keeps states folded from a log, to spare later readers the frames before the snapshot. Snapshots
 * may be lost at any time, and a store may keep none.
 */
public interface SnapshotStore {

  /** Returns the newest snapshot of a key. Empty if none exists, or it is unreadable. */
  Optional<Snapshot> load(Snapshot.Key key);

  /** Replaces the snapshot of a key. A failure is ignored. */
  void save(Snapshot.Key key, Snapshot snapshot);
}
