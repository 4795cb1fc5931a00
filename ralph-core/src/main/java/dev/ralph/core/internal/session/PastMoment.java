package dev.ralph.core.internal.session;

import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.view.PastLedger;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A past moment: directly after a frame, or at a time. */
final class PastMoment implements SessionMoment {

  private final StoreHandle log;

  /** The last appended frame, or null for none. */
  private final @Nullable Frame frame;

  private final Instant time;

  private PastMoment(StoreHandle log, @Nullable Frame frame, Instant time) {
    this.log = log;
    this.frame = frame;
    this.time = time;
  }

  /**
   * Returns the moment directly after a frame was appended.
   *
   * @throws RalphException NOT_FOUND if the frame does not belong to the log
   */
  static PastMoment after(StoreHandle log, Frame frame) {
    log.checkOwn(frame);
    return new PastMoment(log, frame, frame.time());
  }

  /** Returns the moment at a time, with the selected frames appended up to this time. */
  static PastMoment at(StoreHandle log, TopicFilter filter, Instant time) {
    return new PastMoment(log, log.lastAt(filter, time).orElse(null), time);
  }

  @Override
  public Clock clock() {
    return Clock.fixed(time, log.clock().getZone());
  }

  @Override
  public boolean isLive(ControlState.Run run) {
    return true; // a later check tells nothing about the moment
  }

  @Override
  public FrameLog log() {
    return log.store();
  }

  @Override
  public boolean includes(Frame other) {
    return frame != null && !other.position().isAfter(frame.position());
  }

  @Override
  public void append(List<Draft> drafts) {
    throw PastLedger.unchangeable();
  }

  @Override
  public int erase(List<String> ids) {
    throw PastLedger.unchangeable();
  }

  @Override
  public <R> Ledger<R> of(Ledger<R> ledger) {
    return frame == null ? ledger.at(time) : ledger.at(frame);
  }
}
