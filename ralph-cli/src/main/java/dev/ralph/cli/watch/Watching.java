package dev.ralph.cli.watch;

import dev.ralph.cli.call.StoreAccess;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.TopicFilter;
import java.time.Duration;

/**
 * Somebody who watches: a follower of the frames says that there is something new, until somebody
 * leaves. One thread shows; the rest is for any.
 */
final class Watching implements AutoCloseable {

  private final Position end;
  private final Follower follower;
  private volatile boolean isLeft;

  /**
   * Begins to follow.
   *
   * @param filter what may change what is shown
   */
  Watching(FrameLog frames, TopicFilter filter) {
    this.end = frames.last(filter).map(Frame::position).orElse(Position.START);
    this.follower = frames.follow(Query.of(filter).after(end));
  }

  /** Returns what was the end of the log when this began. */
  Position end() {
    return end;
  }

  /** Has what is shown looked at again. */
  void wake() {
    follower.wakeup();
  }

  /** Ends showing. */
  void leave() {
    isLeft = true;
    follower.wakeup();
  }

  /** Shows how things are, and whatever changes, until somebody leaves. */
  void show(WatchFace face) throws InterruptedException {
    face.show();
    while (!isLeft) {
      try {
        take(face);
        face.show();
      } catch (RalphException e) {
        StoreAccess.waitOut(e);
      }
    }
  }

  /** Waits for a frame, and takes those that follow soon. */
  private void take(WatchFace face) throws InterruptedException {
    Duration gathers = face.gathers();
    Frame frame = follower.poll(face.staysTrueFor());
    long until = System.nanoTime() + gathers.toNanos();
    while (frame != null) {
      face.frame(frame);
      long left = until - System.nanoTime();
      frame = left < 0 && !gathers.isZero() ? null : follower.poll(Duration.ofNanos(left));
    }
  }

  @Override
  public void close() {
    follower.close();
  }
}
