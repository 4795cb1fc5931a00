package dev.ralph.core.internal.session;

import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A moment of the past: right after a frame, or a time. */
final class Moment {

  /** The last frame that had been appended, null if none had. */
  private final @Nullable Frame frame;

  private final Instant time;

  private Moment(@Nullable Frame frame, Instant time) {
    this.frame = frame;
    this.time = time;
  }

  /**
   * Returns the moment right after that frame was appended.
   *
   * @throws RalphException NOT_FOUND if the frame is not one of the log's
   */
  static Moment after(StoreHandle log, Frame frame) {
    log.checkOwn(frame);
    return new Moment(frame, frame.time());
  }

  /** Returns that time, as far as the frames were appended that the filter selects. */
  static Moment at(StoreHandle log, TopicFilter filter, Instant time) {
    return new Moment(log.lastAt(filter, time).orElse(null), time);
  }

  /** Returns what time it was. */
  Instant time() {
    return time;
  }

  /** Returns whether that frame had been appended. */
  boolean includes(Frame other) {
    return frame != null && !other.position().isAfter(frame.position());
  }

  /** Returns the ledger at this moment. */
  <R> Ledger<R> of(Ledger<R> ledger) {
    return frame == null ? ledger.at(time) : ledger.at(frame);
  }
}
