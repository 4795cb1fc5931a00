package dev.ralph.core.internal.loop.run;

import dev.ralph.core.internal.loop.policy.LoopDeadline;
import java.time.Duration;

/** A time limit that starts when the box is created; may be unlimited. */
public final class TimeBox {

  private final LoopClock time;
  private final LoopDeadline deadline;

  public TimeBox(LoopClock time, LoopDeadline deadline) {
    this.time = time;
    this.deadline = deadline;
  }

  /** Returns the end of the box as a reading of its time source. */
  public LoopDeadline deadline() {
    return deadline;
  }

  /**
   * Returns the box that ends first.
   *
   * @param other a box of the same time source
   */
  public TimeBox and(TimeBox other) {
    return deadline.earlier(other.deadline) == deadline ? this : other;
  }

  public boolean isLimited() {
    return deadline.isLimited();
  }

  public boolean isUp() {
    return deadline.isUp(time.nanos());
  }

  public Duration left() {
    return deadline.left(time.nanos());
  }

  /** Returns the real time in nanoseconds to wait until the end of the box, unless woken. */
  public long waitNanos() {
    return time.realNanos(deadline.leftNanos(time.nanos()));
  }
}
