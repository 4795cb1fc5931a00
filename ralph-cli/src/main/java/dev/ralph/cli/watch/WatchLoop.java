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
 * The loop of a view: follows the frames until a person leaves. A single thread calls {@link
 * #show}; the other methods are thread-safe.
 */
final class WatchLoop implements AutoCloseable {

  private final Position end;
  private final Follower follower;
  private volatile boolean isLeft;

  /**
   * Begins to follow.
   *
   * @param filter the topics that may change the view
   */
  WatchLoop(FrameLog frames, TopicFilter filter) {
    this.end = frames.last(filter).map(Frame::position).orElse(Position.START);
    this.follower = frames.follow(Query.of(filter).after(end));
  }

  /** Returns the end of the log at the start of the view. */
  Position end() {
    return end;
  }

  /** Requests an update of the view. */
  void wake() {
    follower.wakeup();
  }

  /** Ends the view. */
  void leave() {
    isLeft = true;
    follower.wakeup();
  }

  /** Shows the present state and all changes until a person leaves. */
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

  /** Waits for a frame, and processes further frames for a short time. */
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
