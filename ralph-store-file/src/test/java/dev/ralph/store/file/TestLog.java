package dev.ralph.store.file;

import dev.ralph.Draft;
import dev.ralph.Frame;
import dev.ralph.Meta;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.spi.Batch;
import dev.ralph.spi.Durability;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Query;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(topic, Meta.of("action", "add"), content));
    }
    Batch batch = Batch.of(UUID.randomUUID().toString(), drafts).durability(Durability.OS);
    return store.append(batch).frames();
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
    return directory.resolve("log/00000001.jsonl");
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
