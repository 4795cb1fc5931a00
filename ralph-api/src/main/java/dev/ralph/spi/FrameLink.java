package dev.ralph.spi;

import dev.ralph.log.Frame;
import org.jspecify.annotations.Nullable;

/**
 * A frame that some follower wanted, with those after it. Those who have yet to take it refer to
 * it, so that frames that all have taken are garbage.
 */
final class FrameLink {

  final Frame frame;
  final long number;

  /** Guarded by the lock of the followers. */
  @Nullable FrameLink next;

  FrameLink(Frame frame, long number) {
    this.frame = frame;
    this.number = number;
  }
}
