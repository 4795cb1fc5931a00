package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.appendOnDay;
import static dev.ralph.store.chronicle.TestQueue.batch;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static dev.ralph.store.chronicle.TestQueue.rollFile;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.spi.FrameStore;
import dev.ralph.store.chronicle.TestQueue.Reading;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the store keeps working if Chronicle fails because of damaged files. */
class DamagedForChronicleTest {

  private static final long LONGEST_MILLIS = 20_000;

  @TempDir Path temp;

  @Test
  void unreadableRollFile_appendsContinueInNextFile() throws IOException {
    for (int at : List.of(2, 4, 5, 7, 11)) {
      for (int bit : List.of(0, 6)) {
        Path directory = temp.resolve("store-" + at + "-" + bit);
        appendOnDay(directory, 0, "one", "two");
        flip(rollFile(directory, 0), at, bit);
        try (FrameStore store = open(directory)) {
          assertThat(append(store, "three")).as("bit %d of byte %d", bit, at).hasSize(1);
          store.append(batch("four"));
        }
        appendOnDay(directory, 0, "five");
        appendOnDay(directory, 2, "six");
        appendOnDay(directory, 2, "seven");
        try (FrameStore store = open(directory, 2)) {
          assertThat(read(store).contents())
              .containsExactly("one", "two", "three", "four", "five", "six", "seven");
        }
      }
    }
  }

  /**
   * A roll file contains the offset and the number of its last excerpt. From a wrong offset,
   * Chronicle may search for the end longer than the lock's timeout.
   */
  @Test
  void wrongWritePosition_setsRollFileAside() throws IOException {
    for (int bit = 64 * 8; bit < 80 * 8; bit += 3) {
      Path directory = temp.resolve("store-" + bit);
      appendOnDay(directory, 0, "one", "two");
      flip(rollFile(directory, 0), bit / 8, bit % 8);
      try (FrameStore store = open(directory)) {
        append(store, "three");
        assertThat(read(store))
            .as("bit " + bit)
            .isEqualTo(new Reading(List.of("one", "two", "three"), List.of()));
      }
      boolean isPlace = bit < 72 * 8;
      assertThat(directory.resolve("queue/20260506F.cq4.aside").toFile().exists())
          .as("bit " + bit)
          .isEqualTo(isPlace);
    }
  }

  @Test
  void undeclaredException_blocksNoThread() throws Exception {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "before");
    flip(rollFile(directory, 0), 4, 0);
    Map<String, String> failures = new ConcurrentHashMap<>();
    FrameStore store = open(directory);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "appender " + i;
      threads.add(
          daemon(
              () -> {
                for (int k = 0; k < 3; k++) {
                  try {
                    store.append(batch(name));
                  } catch (Throwable e) {
                    failures.put(name, e.toString());
                  }
                }
              }));
    }
    threads.add(daemon(store::close, threads));
    for (Thread thread : threads) {
      thread.join(LONGEST_MILLIS);
      assertThat(thread.isAlive()).as("thread is blocked").isFalse();
    }
    assertThat(failures).isEmpty();
    try (FrameStore again = open(directory)) {
      assertThat(read(again).contents()).hasSize(1 + 8 * 3);
    }
  }

  @Test
  void damagedTable_isRecreated() throws IOException {
    // a length, a type, a name, the roll cycle, the offset of a value, a lock
    for (int at : List.of(0, 5, 0x30, 0x7a, 0xa0, 0x10b, 0x12e)) {
      Path directory = temp.resolve("store-" + at);
      appendOnDay(directory, 0, "one", "two");
      flip(directory.resolve("queue/metadata.cq4t"), at, 1);
      try (FrameStore store = open(directory)) {
        append(store, "three");
        store.append(batch("four"));
      }
      appendOnDay(directory, 1, "five");
      try (FrameStore store = open(directory, 1)) {
        assertThat(read(store).contents())
            .as("byte " + at)
            .containsExactly("one", "two", "three", "four", "five");
        assertThat(store.verify()).as("byte " + at).isEmpty();
      }
      assertThat(rollFile(directory, 2)).doesNotExist();
    }
  }

  @Test
  void recreatedTable_keepsOtherAppendersWorking() throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore early = open(directory)) {
      append(early, "one");
      flip(directory.resolve("queue/metadata.cq4t"), 0, 0);
      try (FrameStore late = open(directory)) {
        append(late, "two");
        append(early, "three");
        append(late, "four");
      }
      try (FrameStore tomorrow = open(directory, 1)) {
        append(tomorrow, "five");
        append(early, "six");
        append(tomorrow, "seven");
      }
      append(early, "eight");
      assertThat(read(early).contents())
          .containsExactly("one", "two", "three", "four", "five", "six", "seven", "eight");
      assertThat(early.verify()).isEmpty();
    }
    assertThat(Files.exists(directory.resolve("queue/metadata.cq4t.damaged"))).isTrue();
  }

  private static Thread daemon(Runnable action) {
    return daemon(action, List.of());
  }

  /** Starts a thread that runs an action after other threads have ended. */
  private static Thread daemon(Runnable action, List<Thread> others) {
    List<Thread> before = List.copyOf(others);
    Thread thread =
        new Thread(
            () -> {
              for (Thread other : before) {
                try {
                  other.join(LONGEST_MILLIS);
                } catch (InterruptedException e) {
                  return;
                }
              }
              action.run();
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void flip(Path path, long at, int bit) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(at);
      int before = file.read();
      file.seek(at);
      file.write(before ^ 1 << bit);
    }
  }
}
