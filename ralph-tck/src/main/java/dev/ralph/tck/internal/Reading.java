package dev.ralph.tck.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.spi.FrameStore;
import java.util.ArrayList;
import java.util.List;

/** Reads whole lists of frames, and fails rather than hang where a store does not give them. */
public final class Reading {

  private Reading() {}

  /** Returns what the query selects, and fails if the cursor meets damage. */
  public static List<Frame> read(FrameStore store, Query query) {
    try (FrameCursor cursor = store.read(query)) {
      List<Frame> frames = rest(cursor);
      assertThat(cursor.damage()).as("damage met while reading").isEmpty();
      return frames;
    }
  }

  /** Returns what the cursor has still to give; fails rather than read without end. */
  public static List<Frame> rest(FrameCursor cursor) {
    List<Frame> frames = new ArrayList<>();
    for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
      if (!frames.isEmpty() && frames.get(frames.size() - 1).position().equals(frame.position())) {
        throw new AssertionError(
            "the cursor gives " + frame.position() + " twice, and may not end");
      }
      frames.add(frame);
    }
    return frames;
  }

  /** Takes that many frames, and fails if they do not come. */
  public static List<Frame> take(Follower follower, int count) throws InterruptedException {
    List<Frame> frames = new ArrayList<>();
    TimeLimit deadline = TimeLimit.in(TimeLimit.patience());
    while (frames.size() < count) {
      Frame frame = follower.poll(deadline.left());
      if (frame != null) {
        frames.add(frame);
      } else {
        deadline.check("only " + frames.size() + " of " + count + " frames came");
      }
    }
    return frames;
  }
}
