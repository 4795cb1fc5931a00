package dev.ralph.core.internal.view;

import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import java.time.Clock;

/** A store with what it takes to write to it: the time, and ids for batches. */
public final class Log {

  private final FrameStore store;
  private final Clock clock;
  private final Scru128 batchIds;

  /** Makes the log of a store. */
  public Log(FrameStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
    this.batchIds = new Scru128(clock);
  }

  /** Returns the store. */
  public FrameStore store() {
    return store;
  }

  /** Returns the source of time for decisions. */
  public Clock clock() {
    return clock;
  }

  /** Returns an id that no batch has had. */
  public String newBatchId() {
    return batchIds.next();
  }
}
