package dev.ralph.tck;

/** The defects of a {@link DurableStore}, as real stores have had them. */
enum DurableMistake {
  /** A sound store for several processes. */
  NONE(true),
  /** A sound store for one process. */
  NONE_ALONE(false),

  // Several processes: the appends of another opening are not visible.
  GETS_STALE(true),
  TELLS_TOPICS_STALE(true),
  TELLS_THE_LAST_STALE(true),
  READS_BACKWARD_STALE(true),
  ENDS_CURSORS_STALE(true),
  FINDS_BATCHES_STALE(true),
  /** Looks for existing ids before it acquires the lock and reads new records. */
  IMPORTS_AGAIN(true),
  /** Reports a record that is being written as damage. */
  TAKES_AN_APPEND_FOR_DAMAGE(true),
  /** Overwrites records that other processes have appended. */
  APPENDS_WHERE_IT_SAW_THE_END(true),

  // Threads.
  /** Mints ids before it determines the order of frames. */
  MINTS_BEFORE_IT_LOCKS(true),

  // Damage.
  CHECKS_FORWARD_ONLY(true),
  KEEPS_THE_REST_OF_A_BATCH(true),
  REPEATS_BEHIND_DAMAGE(true),
  VERIFIES_NOTHING(true),
  READS_OVER_DAMAGE_SILENTLY(true),
  /** Reports damage once and truncates the file at the damage when it is closed. */
  CUTS_OFF_DAMAGE(true),

  // Stopped processes.
  /** Reports the holder of the lock a second too late. */
  WAITS_TOO_LONG_FOR_THE_LOCK(true),

  // Killed processes.
  /** Keeps unsynced batches in memory until the next sync. */
  WRITES_WHEN_IT_SYNCS(false),
  /** Publishes the unannounced records of a killed append with the next append. */
  TAKES_IN_WHAT_IS_LEFT_WHEN_IT_APPENDS(false),
  /** Uses the existence of a file as lock, which a killed process leaves. */
  LOCKS_BY_A_FILE_THAT_EXISTS(false),

  // A second opening in the same process.
  /** Rejects another class loader, and closes the lock's channel, which releases the lock. */
  CLOSES_THE_REFUSED_CHANNEL(false),
  /** Identifies open stores by the path as given. */
  GOES_BY_THE_SPELLING(false);

  private final boolean shared;

  DurableMistake(boolean shared) {
    this.shared = shared;
  }

  /** Returns whether the store is one for several processes. */
  boolean isShared() {
    return shared;
  }
}
