package dev.ralph.cli.watch;

import dev.ralph.log.Frame;
import java.time.Duration;

/** A view of changes. Not thread-safe. */
interface WatchFace extends AutoCloseable {

  /** Processes a frame. */
  void frame(Frame frame);

  /** Shows the present state. */
  void show();

  /** Returns the time after which the view may change without a new frame. */
  Duration staysTrueFor();

  /** Returns the time to collect frames before an update; zero to update after each frame. */
  default Duration gathers() {
    return Duration.ZERO;
  }

  @Override
  default void close() {}
}
