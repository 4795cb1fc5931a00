package dev.ralph.store.support;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Appends and reads test frames. Subclasses add methods for one kind of store. */
public class TestFrames {

  public static final Topic TOPIC = Topic.of("ralph.test.task");

  protected TestFrames() {}

  public static List<Frame> append(FrameStore store, String... contents) {
    return append(store, TOPIC, contents);
  }

  /** Appends a batch without a sync. */
  public static List<Frame> append(FrameStore store, Topic topic, String... contents) {
    return store.append(batch(topic, contents).synced(false)).frames();
  }

  public static Batch batch(String... contents) {
    return batch(TOPIC, contents);
  }

  public static Batch batch(Topic topic, String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(topic, Meta.of("action", "add"), content));
    }
    return Batch.of(UUID.randomUUID().toString(), drafts);
  }

  public static List<String> contents(FrameStore store) {
    return contents(store, Query.of(TopicFilter.all()));
  }

  public static List<String> contents(FrameStore store, Query query) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(query)) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
    }
    return contents;
  }

  public static List<Frame> frames(FrameStore store, TopicFilter filter) {
    List<Frame> frames = new ArrayList<>();
    try (FrameCursor cursor = store.read(Query.of(filter))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        frames.add(frame);
      }
    }
    return frames;
  }

  /** Returns all properties of a frame except its position. */
  public static String describe(Frame frame) {
    return String.join(
        " ",
        frame.id(),
        frame.topic().toString(),
        frame.time().toString(),
        frame.meta().json(),
        "'" + frame.content() + "'");
  }

  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
