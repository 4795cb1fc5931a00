package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.LogWitness;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store after a process was killed at any step of a compaction, or of an erasure after it. */
class KilledCompactionTest {

  private static final String SECRET = "sesame-7Jq0";

  @TempDir Path temp;
  private Path original;
  private List<String> kept = new ArrayList<>();
  private Frame later;

  @BeforeEach
  void makeStore() {
    original = temp.resolve("original");
    try (FrameStore store = TestLog.open(original)) {
      for (int segment = 0; segment < 2; segment++) {
        List<String> erased = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          String content = "frame " + segment + "." + i;
          List<Frame> batch = TestLog.append(store, TestLog.TOPIC, content, SECRET, content + "b");
          erased.add(batch.get(1).id());
          if (i % 3 == 0) {
            erased.addAll(List.of(batch.get(0).id(), batch.get(2).id()));
          } else {
            kept.addAll(List.of(content, content + "b"));
          }
        }
        if (segment == 0) {
          store.erase(erased);
          store.compact();
        } else {
          later = TestLog.append(store, TestLog.TOPIC, SECRET + " later").get(0);
          store.erase(erased);
        }
      }
    }
  }

  private static FrameStore open(StoreFiles files) {
    Segments segments = new Segments(files);
    String storeId = segments.newestHeader(segments.last()).store();
    LogWitness witness = LogWitness.open(files.root(), segments);
    return new FileFrameStore(files.root(), segments, storeId, witness, Clock.systemUTC());
  }

  private interface Work {
    void on(FrameStore store);
  }

  /** Runs work in copies of the store, killed at each step, and checks each copy. */
  private int killAtEachStep(Work work, Work check) {
    int steps = 0;
    boolean done = false;
    while (!done) {
      Path directory = temp.resolve("killed-" + steps);
      TestLog.copy(original, directory);
      try (FrameStore other = TestLog.open(directory)) {
        assertThat(TestLog.contents(other)).containsAll(kept);
        CompactionSteps files = new CompactionSteps(directory, steps);
        try (FrameStore store = open(files)) {
          work.on(store);
        } catch (RalphException | UncheckedIOException e) {
          assertThat(files.isKilled()).as("%s", e).isTrue();
        }
        done = !files.isKilled();
        check.on(other); // has seen the log before the kill
        try (FrameStore opened = TestLog.open(directory)) {
          check.on(opened);
          work.on(opened);
          check.on(opened);
        }
        check.on(other);
      }
      TestLog.delete(directory);
      steps++;
    }
    return steps;
  }

  private void assertKept(FrameStore store) {
    assertThat(TestLog.contents(store).stream().filter(text -> text.startsWith("frame")))
        .isEqualTo(kept.stream().toList());
    assertThat(store.verify()).isEmpty();
  }

  @Test
  void killedCompaction_losesNoFrame() {
    int steps =
        killAtEachStep(
            FrameStore::compact,
            store -> {
              assertKept(store);
              TestLog.append(store, TestLog.OTHER, "appended after the kill");
              assertThat(TestLog.contents(store)).last().isEqualTo("appended after the kill");
            });
    assertThat(steps).isGreaterThan(15);
  }

  @Test
  void killedErasureInCompactedSegment_isCompleted() {
    try (FrameStore store = TestLog.open(original)) {
      store.compact();
    }
    int steps =
        killAtEachStep(
            store -> store.erase(List.of(later.id())),
            store -> {
              TestLog.append(store, TestLog.OTHER, "completes the erasure");
              assertKept(store);
            });
    assertThat(steps).isGreaterThan(10);
  }

  @Test
  void erasedTextInCompactedSegment_isInNoFile() throws IOException {
    try (FrameStore store = TestLog.open(original)) {
      store.compact();
      store.erase(List.of(later.id()));
      assertThat(holders(SECRET)).isEmpty();
      store.compact();
      assertKept(store);
    }
    assertThat(holders(later.id().substring(0, 20))).isNotEmpty(); // the notice
  }

  /** Returns the files of the store with a text, also after decompression. */
  private List<Path> holders(String text) throws IOException {
    try (Stream<Path> files = Files.walk(original)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> contents(file).contains(text))
          .toList();
    }
  }

  private static String contents(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      if (file.toString().endsWith(".gz")) {
        try (var in = new java.util.zip.GZIPInputStream(Files.newInputStream(file))) {
          bytes = in.readAllBytes();
        }
      }
      return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
