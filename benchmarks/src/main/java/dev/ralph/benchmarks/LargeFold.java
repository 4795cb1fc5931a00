package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.TopicFilter;
import java.nio.file.Path;

/** Folds a large log in a JVM with little memory. */
final class LargeFold {

  private LargeFold() {}

  /** Prints the number of frames, then the seconds of the fold and its cost. */
  public static void main(String[] arguments) {
    long begin = System.nanoTime();
    try (Ralph ralph = Ralph.openExisting(Path.of(arguments[0]))) {
      TaskTally tally = ralph.view(TopicFilter.parse("ralph.*"), TaskTally.fold()).current();
      System.out.println(tally.frames);
      System.out.println((System.nanoTime() - begin) / 1e9 + ChildJvm.cost(1, Double.NaN));
    }
  }
}
