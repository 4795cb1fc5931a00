package dev.ralph.transfer.internal;

import dev.ralph.log.Batch;
import dev.ralph.log.DamagedException;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.spi.Scru128;
import dev.ralph.transfer.internal.FrameReader.Entry;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares the frames of a file with the frames of a store, in order, and restores lost content in
 * the store.
 */
final class FrameComparison implements AutoCloseable {

  private final FrameLog store;
  private final Scru128 batchIds;
  private final FrameFinder finder;
  private final ImportReport.Tally tally;
  private Position last = Position.START;

  /**
   * Starts a comparison.
   *
   * @param from the position after which most of the frames are expected
   */
  FrameComparison(FrameLog store, Position from, Scru128 batchIds, ImportReport.Tally tally) {
    this.store = store;
    this.batchIds = batchIds;
    this.finder = new FrameFinder(store, from);
    this.tally = tally;
  }

  /** Compares a frame with the store's frame of the same id. */
  void compare(Entry entry) {
    Draft wanted = entry.draft();
    String id = String.valueOf(wanted.id());
    Frame ahead = finder.ahead(id);
    Frame held = ahead == null ? finder.anywhere(id) : ahead;
    if (held == null) {
      tally.problem(
          entry.line(),
          id,
          ImportReport.Problem.Kind.LOST,
          "the store lacks the frame; run ralph verify");
      return;
    }
    tally.reordered += held.position().isAfter(last) ? 0 : 1;
    last = held.position();
    if (held.isErased()) {
      return; // an erased frame stays erased
    }
    String difference = difference(wanted, held);
    if (difference != null) {
      tally.problem(
          entry.line(),
          id,
          ImportReport.Problem.Kind.DIFFERS,
          "the store keeps a different frame with this id: its " + difference);
    }
  }

  private @Nullable String difference(Draft wanted, Frame held) {
    if (!held.topic().equals(wanted.topic())) {
      return "topic is " + held.topic();
    }
    if (wanted.time() != null
        && !held.time().equals(wanted.time().truncatedTo(ChronoUnit.MILLIS))) {
      return "time is " + held.time();
    }
    if (!held.meta().equals(wanted.meta())) {
      return "meta data is " + RalphException.quote(held.meta().json());
    }
    try {
      String content = content(wanted, held);
      return content.equals(wanted.content())
          ? null
          : "content is " + RalphException.quote(content);
    } catch (DamagedException e) {
      return "content is damaged: " + e.getMessage();
    }
  }

  private String content(Draft wanted, Frame held) {
    try {
      return held.content();
    } catch (DamagedException e) {
      // The store skips the present frame, but stores the content again.
      store.append(Batch.of(batchIds.next(), List.of(wanted)));
      String content = held.content();
      tally.restored++;
      return content;
    }
  }

  @Override
  public void close() {
    finder.close();
  }
}
