package dev.ralph.store.chronicle;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.StoreConfig;
import dev.ralph.store.support.TestFrames;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Creates, reads and damages small stores. */
final class TestQueue extends TestFrames {

  static final Instant DAY = Instant.parse("2026-05-06T07:08:09Z");

  private TestQueue() {}

  /** The contents and the damage that a reader returned. */
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

  /** Returns the end of a frame in its roll file. */
  static long offset(Frame frame) {
    return frame.position().value() & (1L << 40) - 1;
  }

  /** Flips a bit of the last occurrence of a text in a file. */
  static void flip(Path file, String text) throws IOException {
    String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
    int at = bytes.lastIndexOf(text);
    write(file, at, new byte[] {(byte) (bytes.charAt(at) ^ 1)});
  }

  /** Returns the beginning of a roll file, which contains all data of a small test. */
  static byte[] beginning(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(1024 * 1024);
    }
  }

  static void write(Path file, long at, byte[] bytes) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.seek(at);
      out.write(bytes);
    }
  }

  /** Simulates a restart of the system since the last use of the store. */
  static void reboot(Path directory) throws IOException {
    byte[] page = Files.readAllBytes(directory.resolve("end"));
    page[31] ^= 0x54;
    Files.write(directory.resolve("end"), page);
  }
}
