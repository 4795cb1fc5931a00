package dev.ralph.spi;

import java.util.Optional;

/**
 * Keeps states that were folded from a log, so that a later reader need not start at the first
 * frame. Everything here is derived: it may vanish at any moment, and a store may keep nothing at
 * all.
 */
public interface SnapshotStore {

  /** Returns the newest snapshot kept under the key. Anything unreadable counts as absent. */
  Optional<Snapshot> load(Snapshot.Key key);

  /** Keeps the snapshot in place of an older one of the key. A failure to do so is not an error. */
  void save(Snapshot.Key key, Snapshot snapshot);
}
