package dev.ralph.core.transfer;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.core.transfer.FrameReader.Entry;
import dev.ralph.spi.FrameStore;
import java.time.temporal.ChronoUnit;
import javax.annotation.Nullable;

/** Compares the frames of a file, in their order, with those that a store holds. */
final class Comparison implements AutoCloseable {

  private final Walk walk;
  private final ImportReport.Tally tally;
  private Position last = Position.START;

  /**
   * Begins a comparison.
   *
   * @param from after which position most of the frames are expected
   */
  Comparison(FrameStore store, Position from, ImportReport.Tally tally) {
    this.walk = new Walk(store, from);
    this.tally = tally;
  }

  /** Compares a frame with the store's of that id. */
  void compare(Entry entry) {
    Draft wanted = entry.draft();
    String id = String.valueOf(wanted.id());
    Frame ahead = walk.ahead(id);
    Frame held = ahead == null ? walk.anywhere(id) : ahead;
    if (held == null) {
      tally.problem(
          entry.line(),
          id,
          ImportProblem.Kind.LOST,
          "the store does not hold it; see ralph verify");
      return;
    }
    tally.reordered += held.position().isAfter(last) ? 0 : 1;
    last = held.position();
    String difference = difference(wanted, held);
    if (difference != null) {
      tally.problem(
          entry.line(),
          id,
          ImportProblem.Kind.DIFFERS,
          "the store holds another frame of that id, and keeps it: its " + difference);
    }
  }

  @Nullable
  private static String difference(Draft wanted, Frame held) {
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
      return held.content().equals(wanted.content())
          ? null
          : "content is " + RalphException.quote(held.content());
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.DAMAGED) {
        throw e;
      }
      return "content is damaged: " + e.getMessage();
    }
  }

  @Override
  public void close() {
    walk.close();
  }
}
