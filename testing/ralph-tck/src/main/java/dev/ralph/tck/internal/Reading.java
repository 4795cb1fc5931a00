package dev.ralph.tck.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.spi.FrameStore;
import java.util.ArrayList;
import java.util.List;

/** Reads lists of frames, and fails instead of hanging if a store does not return them. */
public final class Reading {

  private Reading() {}

  /** Returns the frames that the query selects; fails if the cursor reports damage. */
  public static List<Frame> read(FrameStore store, Query query) {
    try (FrameCursor cursor = store.read(query)) {
      List<Frame> frames = rest(cursor);
      assertThat(cursor.damage()).as("damage reported by the cursor").isEmpty();
      return frames;
    }
  }

  /** Returns the remaining frames of a cursor; fails if the cursor repeats itself. */
  public static List<Frame> rest(FrameCursor cursor) {
    List<Frame> frames = new ArrayList<>();
    for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
      if (!frames.isEmpty() && frames.get(frames.size() - 1).position().equals(frame.position())) {
        throw new AssertionError(
            "the cursor returns " + frame.position() + " twice and may not end");
      }
      frames.add(frame);
    }
    return frames;
  }

  /** Takes the given number of frames; fails if they do not arrive in time. */
  public static List<Frame> take(Follower follower, int count) throws InterruptedException {
    List<Frame> frames = new ArrayList<>();
    TimeLimit deadline = TimeLimit.in(TimeLimit.patience());
    while (frames.size() < count) {
      Frame frame = follower.poll(deadline.left());
      if (frame != null) {
        frames.add(frame);
      } else {
        deadline.check("only " + frames.size() + " of " + count + " frames arrived");
      }
    }
    return frames;
  }
}
