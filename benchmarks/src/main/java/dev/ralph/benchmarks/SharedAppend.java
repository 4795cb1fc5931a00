package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.spi.Scru128;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** Appends of processes that share a store. */
final class SharedAppend {

  /** For a JVM to start and warm up, beside another that does the same. */
  private static final int WARMUP_MILLIS = 4_000;

  private SharedAppend() {}

  /**
   * Appends until a moment, and prints how many frames a second came since another: {@code KIND
   * DIRECTORY FRAMES_PER_BATCH DURABILITY FROM TO}, the moments in milliseconds since 1970.
   */
  public static void main(String[] arguments) {
    int framesPerBatch = Integer.parseInt(arguments[2]);
    Durability durability = Durability.valueOf(arguments[3]);
    long from = Long.parseLong(arguments[4]);
    long to = Long.parseLong(arguments[5]);
    Scru128 ids = new Scru128(Clock.systemUTC());
    try (Ralph ralph =
        Ralph.builder().store(arguments[0]).directory(Path.of(arguments[1])).existing().open()) {
      int n = 0;
      int counted = 0;
      for (long now = 0; now < to; now = System.currentTimeMillis()) {
        List<Draft> drafts = new ArrayList<>(framesPerBatch);
        for (int i = 0; i < framesPerBatch; i++) {
          drafts.add(Logs.Writer.add(Logs.topic(0), ++n));
        }
        ralph.log().append(Batch.of(ids.next(), drafts).durability(durability));
        counted += now >= from ? framesPerBatch : 0;
      }
      System.out.println(counted * 1000.0 / (to - from));
    }
  }

  /** Returns how many frames a second so many processes append together. */
  static double measure(
      String kind, int processes, int framesPerBatch, Durability durability, int millis)
      throws IOException {
    Path directory = Logs.directory().resolve("shared");
    Logs.delete(directory);
    Ralph.builder().store(kind).directory(directory).open().close();
    long from = System.currentTimeMillis() + WARMUP_MILLIS;
    List<ChildJvm> children = new ArrayList<>();
    try {
      for (int i = 0; i < processes; i++) {
        children.add(
            ChildJvm.start(
                SharedAppend.class,
                ChildJvm.argumentsFor(kind),
                kind,
                directory.toString(),
                Integer.toString(framesPerBatch),
                durability.name(),
                Long.toString(from),
                Long.toString(from + millis)));
      }
      double sum = 0;
      for (ChildJvm child : children) {
        sum += child.figures()[0];
      }
      return sum;
    } finally {
      for (ChildJvm child : children) {
        child.close();
      }
      Logs.delete(directory);
    }
  }
}
