package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Snapshot;
import dev.ralph.spi.SnapshotKey;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot is as it was saved, or counts as absent. */
class FileSnapshotStoreTest {

  private static final SnapshotKey KEY =
      new SnapshotKey("tasks", 3, TopicFilter.parse("ralph.main.task"));

  private static final Snapshot SNAPSHOT =
      new Snapshot(
          "03d2qfc7b0000000000000000",
          Position.of(1234),
          "the state".getBytes(StandardCharsets.UTF_8));

  @TempDir Path directory;
  private Path snapshots;
  private FileSnapshotStore store;

  @BeforeEach
  void makeStore() {
    snapshots = directory.resolve("snapshots");
    store = new FileSnapshotStore(snapshots);
  }

  @Test
  void aSnapshotIsLoadedAsItWasSaved() {
    assertThat(store.load(KEY)).isEmpty();
    store.save(KEY, SNAPSHOT);
    assertThat(new FileSnapshotStore(snapshots).load(KEY))
        .hasValueSatisfying(
            loaded -> {
              assertThat(loaded.frameId()).isEqualTo(SNAPSHOT.frameId());
              assertThat(loaded.position()).isEqualTo(SNAPSHOT.position());
              assertThat(loaded.state()).isEqualTo(SNAPSHOT.state());
            });
  }

  @Test
  void aHugeFileIsNotReadIntoMemory() throws IOException {
    store.save(KEY, SNAPSHOT);
    for (long length : new long[] {Integer.MAX_VALUE - 8L, 3L << 30}) {
      try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
        file.setLength(length);
      }
      assertThat(store.load(KEY)).isEmpty();
    }
    store.save(KEY, SNAPSHOT);
    assertThat(store.load(KEY)).isPresent();
  }

  @Test
  void aSnapshotWithAnyBitFlippedCountsAsAbsent() throws IOException {
    store.save(KEY, SNAPSHOT);
    byte[] bytes = Files.readAllBytes(file());
    for (int at = 0; at < bytes.length; at++) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      Files.write(file(), flipped);
      assertThat(store.load(KEY)).as("bit flipped in byte %d", at).isEmpty();
    }
  }

  @Test
  void aSnapshotCutShortOrGrownCountsAsAbsent() throws IOException {
    store.save(KEY, SNAPSHOT);
    byte[] bytes = Files.readAllBytes(file());
    for (int length = 0; length <= bytes.length + 1; length++) {
      Files.write(file(), Arrays.copyOf(bytes, length));
      assertThat(store.load(KEY).isPresent())
          .as("%d bytes", length)
          .isEqualTo(length == bytes.length);
    }
  }

  @Test
  void theSnapshotOfAnotherFoldVersionOrFilterIsNotTaken() throws IOException {
    List<SnapshotKey> others =
        List.of(
            new SnapshotKey("notes", 3, KEY.filter()),
            new SnapshotKey("tasks", 4, KEY.filter()),
            new SnapshotKey("tasks", 3, TopicFilter.parse("ralph.other.task")));
    store.save(KEY, SNAPSHOT);
    Path saved = file();
    for (SnapshotKey other : others) {
      assertThat(store.load(other)).isEmpty();
      store.save(other, SNAPSHOT);
    }
    try (Stream<Path> files = Files.list(snapshots)) {
      for (Path file : files.filter(each -> !each.equals(saved)).toList()) {
        Files.copy(saved, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    for (SnapshotKey other : others) {
      assertThat(store.load(other)).as("a file that took another's name").isEmpty();
    }
    assertThat(store.load(KEY)).isPresent();
  }

  @Test
  void aSnapshotThatCannotBeSavedOrReadIsDoneWithout() throws IOException {
    Files.writeString(snapshots, "a file where the folder should be");
    store.save(KEY, SNAPSHOT);
    assertThat(store.load(KEY)).isEmpty();
    assertThat(snapshots).hasContent("a file where the folder should be");
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.list(snapshots)) {
      return files.findFirst().orElseThrow();
    }
  }
}
