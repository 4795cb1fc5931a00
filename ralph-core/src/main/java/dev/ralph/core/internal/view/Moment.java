package dev.ralph.core.internal.view;

import dev.ralph.RalphException;
import dev.ralph.RalphException.Code;
import dev.ralph.log.Decider;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.TopicFilter;
import dev.ralph.log.View;
import java.time.Instant;
import javax.annotation.Nullable;

/** A moment of the past: right after a frame, or a time. */
public final class Moment {

  @Nullable private final Frame frame;
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
  public static Moment after(Log log, Frame frame) {
    FoldView.checkOwn(log.store(), frame);
    return new Moment(frame, frame.time());
  }

  /** Returns the moment at that time. */
  public static Moment at(Instant time) {
    return new Moment(null, time);
  }

  /** Returns what time it was. */
  public Instant time() {
    return time;
  }

  /** Returns whether that frame had been appended. */
  public boolean includes(Frame other) {
    return frame == null
        ? !other.time().isAfter(time)
        : !other.position().isAfter(frame.position());
  }

  /** Returns the view's result at this moment, which is worked out when first asked for. */
  public <R> Ledger<R> ledger(View<R> view) {
    return new PastLedger<>(view);
  }

  private final class PastLedger<R> implements Ledger<R> {
    private final View<R> view;

    /** Null until first asked for. Threads that ask at the same time find the same. */
    @Nullable private volatile R state;

    PastLedger(View<R> view) {
      this.view = view;
    }

    @Override
    public R state() {
      R known = state;
      if (known == null) {
        known = frame == null ? view.at(time) : view.at(frame);
        state = known;
      }
      return known;
    }

    @Override
    public <T> T decide(String what, @Nullable TopicFilter others, Decider<R, T> decider) {
      throw unchangeable();
    }
  }

  /** Returns the failure of whatever would change the past. */
  public static RalphException unchangeable() {
    return new RalphException(
        Code.UNSUPPORTED, "a session at a moment of the past can't be changed");
  }
}
