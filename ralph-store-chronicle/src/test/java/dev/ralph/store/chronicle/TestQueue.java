package dev.ralph.store.chronicle;

import dev.ralph.Damage;
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
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Small stores to do something to. */
final class TestQueue {

  static final Topic TOPIC = Topic.of("ralph.test.task");
  static final Instant DAY = Instant.parse("2026-05-06T07:08:09Z");

  private TestQueue() {}

  /** What a reader got, and what it was told is damaged. */
  record Reading(List<String> contents, List<Damage> damage) {}

  static FrameStore open(Path directory) {
    return open(directory, 0);
  }

  /** Opens the store some days after {@link #DAY}. */
  static FrameStore open(Path directory, int days) {
    Clock clock = Clock.fixed(DAY.plusSeconds(86_400L * days), ZoneOffset.UTC);
    return new ChronicleStoreProvider().open(StoreConfig.in(directory).clock(clock));
  }

  /** Appends on some day after {@link #DAY}. */
  static void appendOnDay(Path directory, int days, String... contents) {
    try (FrameStore store = open(directory, days)) {
      append(store, contents);
    }
  }

  static List<Frame> append(FrameStore store, String... contents) {
    return store.append(batch(contents).durability(Durability.OS)).frames();
  }

  static Batch batch(String... contents) {
    List<Draft> drafts = new ArrayList<>();
    for (String content : contents) {
      drafts.add(Draft.of(TOPIC, Meta.of("action", "add"), content));
    }
    return Batch.of(UUID.randomUUID().toString(), drafts);
  }

  static Reading read(FrameStore store) {
    return read(store, Query.of(TopicFilter.all()));
  }

  static Reading read(FrameStore store, Query query) {
    List<String> contents = new ArrayList<>();
    try (FrameCursor cursor = store.read(query)) {
      Frame frame;
      while ((frame = cursor.next()) != null) {
        contents.add(frame.content());
      }
      return new Reading(contents, cursor.damage());
    }
  }

  static Path rollFile(Path directory, int days) {
    int cycle = (int) (DAY.getEpochSecond() / 86_400) + days;
    return directory.resolve("queue").resolve(RollFiles.name(cycle));
  }
}
