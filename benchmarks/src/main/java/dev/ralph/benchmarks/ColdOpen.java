package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Frame;
import dev.ralph.log.TopicFilter;
import java.nio.file.Path;
import java.util.Optional;

/** A program that opens a store and looks up the newest frame of a topic. */
final class ColdOpen {

  private ColdOpen() {}

  /** Prints the milliseconds from the first line of this method, and the cost of the process. */
  public static void main(String[] arguments) {
    long begin = System.nanoTime();
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open()) {
      Optional<Frame> last = ralph.log().last(TopicFilter.of(Logs.topic(0)));
      double millis = (System.nanoTime() - begin) / 1e6;
      if (last.isEmpty()) {
        throw new IllegalStateException("the log has no frame of that topic");
      }
      System.out.println(millis + ChildJvm.cost(1, Double.NaN));
    }
  }
}
