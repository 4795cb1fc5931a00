package dev.ralph.cli.watch;

import dev.ralph.log.Frame;
import java.time.Duration;

/** How changes are shown to who watches. For one thread. */
interface WatchFace extends AutoCloseable {

  /** Takes note of a frame. */
  void frame(Frame frame);

  /** Shows how things are now. */
  void show();

  /** Returns after which time things may look different without a new frame. */
  Duration staysTrueFor();

  /** Returns how long to gather frames before they are shown; zero to show each at once. */
  default Duration gathers() {
    return Duration.ZERO;
  }

  @Override
  default void close() {}
}
