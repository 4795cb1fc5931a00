package dev.ralph.benchmarks;

import dev.ralph.log.Topic;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.WireIn;
import net.openhft.chronicle.wire.WireOut;

/**
 * The baseline of the Chronicle store: Chronicle Queue as in its manual, with a document per frame
 * and a named field per part. Ids are constant, there are no checksums, and there is no lock
 * against other processes.
 */
final class RawQueue implements AutoCloseable {

  private static final String ID = "03hoc0ldocsnxw1vyoix0uph7";

  private final SingleChronicleQueue queue;

  RawQueue(Path directory) {
    System.setProperty("chronicle.analytics.disable", "true");
    System.setProperty("chronicle.announcer.disable", "true");
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    this.queue =
        SingleChronicleQueueBuilder.binary(directory)
            .rollCycle(RollCycles.FAST_DAILY)
            .syncMode(SyncMode.SYNC)
            .build();
  }

  ExcerptAppender appender() {
    return queue.createAppender();
  }

  /** Appends a frame that adds a task. */
  static void append(ExcerptAppender appender, Topic topic, int n) {
    try (DocumentContext document = appender.writingDocument()) {
      WireOut wire = document.wire();
      wire.write("id").text(ID);
      wire.write("topic").text(topic.name());
      wire.write("time").int64(System.currentTimeMillis());
      wire.write("batch").text(ID);
      wire.write("action").text("add");
      wire.write("status").text("remaining");
      wire.write("n").int64(n);
      wire.write("content").text("Write the form for case " + n + ", with a test of each field");
    }
  }

  /** Reads all fields of all frames. */
  TaskTally read() {
    TaskTally tally = new TaskTally();
    try (ExcerptTailer tailer = queue.createTailer()) {
      while (true) {
        try (DocumentContext document = tailer.readingDocument()) {
          if (!document.isPresent()) {
            return tally;
          }
          WireIn wire = document.wire();
          String id = wire.read("id").text();
          String topic = wire.read("topic").text();
          tally.characters += wire.read("time").int64() & 1;
          tally.characters += wire.read("batch").text().length();
          String action = wire.read("action").text();
          String status = wire.read("status").text();
          long n = wire.read("n").int64();
          tally.take(id, topic, action, status, n, wire.read("content").text());
        }
      }
    }
  }

  @Override
  public void close() {
    queue.close();
  }
}
