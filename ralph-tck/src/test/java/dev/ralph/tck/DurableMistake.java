package dev.ralph.tck;

/** What may be wrong with a {@link DurableStore}, as it has been with stores. */
enum DurableMistake {
  /** Nothing is wrong with a store for several processes. */
  NONE(true),
  /** Nothing is wrong with a store for one process. */
  NONE_ALONE(false),

  // several processes: what another opening appended is not there
  GETS_STALE(true),
  TELLS_TOPICS_STALE(true),
  TELLS_THE_LAST_STALE(true),
  READS_BACKWARD_STALE(true),
  ENDS_CURSORS_STALE(true),
  FINDS_BATCHES_STALE(true),
  /** Looks for ids that are held before it takes the lock and catches up. */
  IMPORTS_AGAIN(true),
  /** Takes a record that is being written for damage. */
  TAKES_AN_APPEND_FOR_DAMAGE(true),
  /** Overwrites what others have appended since. */
  APPENDS_WHERE_IT_SAW_THE_END(true),

  // threads
  /** Mints ids where it does not order frames yet. */
  MINTS_BEFORE_IT_LOCKS(true),

  // damage
  CHECKS_FORWARD_ONLY(true),
  KEEPS_THE_REST_OF_A_BATCH(true),
  REPEATS_BEHIND_DAMAGE(true),
  VERIFIES_NOTHING(true),
  READS_OVER_DAMAGE_SILENTLY(true),
  /** Tells of damage once, and cuts off everything from there on when it is closed. */
  CUTS_OFF_DAMAGE(true),

  // stops
  /** Says who holds the lock a second after the two that it may take. */
  WAITS_TOO_LONG_FOR_THE_LOCK(true),

  // kills
  /** Keeps what need not be synced on the heap until something must be. */
  WRITES_WHEN_IT_SYNCS(false),
  /** Shows what a killed append wrote and did not tell of, but only once more is appended. */
  TAKES_IN_WHAT_IS_LEFT_WHEN_IT_APPENDS(false),
  /** Is open as long as a file stands there that nobody removes for who is killed. */
  LOCKS_BY_A_FILE_THAT_EXISTS(false),

  // a second opening in the same process
  /** Refuses another class loader, and loses its lock by closing that one's channel. */
  CLOSES_THE_REFUSED_CHANNEL(false),
  /** Knows who is open by the path as it was given. */
  GOES_BY_THE_SPELLING(false);

  private final boolean shared;

  DurableMistake(boolean shared) {
    this.shared = shared;
  }

  /** Returns whether it is one of a store for several processes. */
  boolean isShared() {
    return shared;
  }
}
