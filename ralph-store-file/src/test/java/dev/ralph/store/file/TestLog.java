package dev.ralph.store.file;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Small logs to do something to. */
final class TestLog {

  static final Topic TOPIC = Topic.of("ralph.test.task");
  static final Topic OTHER = Topic.of("ralph.test.note");

  private TestLog() {}

  static FrameStore open(Path directory) {
    return new FileStoreProvider().open(StoreConfig.in(directory));
  }

  static List<Frame> append(FrameStore store, Topic topic, String... contents) {
    return store.append(batch(topic, contents).durability(Durability.OS)).frames();
  }

  static Batch batch(Topic topic, String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(topic, Meta.of("action", "add"), content));
    }
    return Batch.of(UUID.randomUUID().toString(), drafts);
  }

  static List<String> contents(FrameStore store) {
    return contents(store, Query.of(TopicFilter.all()));
  }

  static List<String> contents(FrameStore store, Query query) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(query)) {
      Frame frame;
      while ((frame = cursor.next()) != null) {
        contents.add(frame.content());
      }
    }
    return contents;
  }

  static Path segment(Path directory) {
    return segment(directory, Segments.FIRST);
  }

  static Path segment(Path directory, int number) {
    return directory.resolve("log").resolve(Segments.name(number));
  }

  /** Makes a log of that many segments, each with one frame that says its segment's number. */
  static void writeSegments(Path directory, int count) {
    for (int number = Segments.FIRST; number <= count; number++) {
      if (number > Segments.FIRST) {
        Segments segments = new Segments(directory.resolve("log"));
        segments.create(
            number, String.valueOf(segments.storeId(Segments.FIRST)), 0, Line.NO_CHECKSUM);
      }
      try (FrameStore store = open(directory)) {
        append(store, TOPIC, "in " + number);
      }
    }
  }

  static void delete(Path path) {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
