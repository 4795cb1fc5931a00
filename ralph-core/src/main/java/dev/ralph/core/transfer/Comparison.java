package dev.ralph.core.transfer;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.TopicFilter;
import dev.ralph.core.transfer.FrameReader.Entry;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * Compares frames with those that a store holds, walking along the store as long as the order is
 * the same there, with few others in between.
 */
final class Comparison implements AutoCloseable {

  private static final int LOOK_AHEAD = 64;

  private final FrameStore store;
  private final ImportReport.Tally tally;
  private FrameCursor cursor;
  private Position last = Position.START;

  /**
   * Begins a comparison.
   *
   * @param from after which position most of the frames are expected
   */
  Comparison(FrameStore store, Position from, ImportReport.Tally tally) {
    this.store = store;
    this.tally = tally;
    this.cursor = read(from);
  }

  private FrameCursor read(Position from) {
    return store.read(Query.of(TopicFilter.all()).after(from));
  }

  /** Compares a frame with the store's of that id. */
  void compare(Entry entry) {
    Draft wanted = entry.draft();
    String id = String.valueOf(wanted.id());
    Frame held = find(id);
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
  private Frame find(String id) {
    for (int i = 0; i < LOOK_AHEAD; i++) {
      Frame next = cursor.next();
      if (next == null) {
        break;
      }
      if (next.id().equals(id)) {
        return next;
      }
    }
    Optional<Frame> elsewhere = store.get(id);
    if (elsewhere.isPresent()) {
      cursor.close();
      cursor = read(elsewhere.get().position());
    }
    return elsewhere.orElse(null);
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
    cursor.close();
  }
}
