package dev.ralph.store.file;

import dev.ralph.log.Topic;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.TestFrames;
import java.nio.file.Path;

/** Small logs for tests. */
final class TestLog extends TestFrames {

  static final Topic OTHER = Topic.of("ralph.test.note");

  private TestLog() {}

  static FrameStore open(Path directory) {
    return new FileStoreProvider().open(StoreConfig.in(directory));
  }

  static Path segment(Path directory) {
    return segment(directory, Segments.FIRST);
  }

  static Path segment(Path directory, int number) {
    return directory.resolve("log").resolve(Segments.name(number));
  }

  /** Creates a log of several segments. Each segment has one frame with the segment's number. */
  static void writeSegments(Path directory, int count) {
    for (int number = Segments.FIRST; number <= count; number++) {
      if (number > Segments.FIRST) {
        Segments segments = new Segments(new StoreFiles(directory));
        String storeId = segments.newestHeader(Segments.FIRST).store();
        segments.create(number, SegmentHeader.PLAIN, storeId, 0, LogLine.NO_CHECKSUM);
      }
      try (FrameStore store = open(directory)) {
        append(store, TOPIC, "in " + number);
      }
    }
  }
}
