package dev.ralph.spi;

import dev.ralph.log.Frame;
import org.jspecify.annotations.Nullable;

/**
 * A link of the chain of new frames. Each follower refers to the next link. Therefore links taken
 * by all followers are garbage-collected.
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
