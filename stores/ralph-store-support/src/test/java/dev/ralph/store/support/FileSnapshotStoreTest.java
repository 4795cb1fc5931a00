package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Snapshot;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot is loaded unchanged or counts as absent. */
class FileSnapshotStoreTest {

  private static final Snapshot.Key KEY =
      new Snapshot.Key("tasks", 3, TopicFilter.parse("ralph.main.task"));

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
  void savedSnapshot_isLoaded() {
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
  void hugeFile_isNotRead() throws IOException {
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
  void flippedBit_snapshotIsAbsent() throws IOException {
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
  void wrongLength_snapshotIsAbsent() throws IOException {
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
  void otherFoldVersionOrFilter_snapshotIsAbsent() throws IOException {
    List<Snapshot.Key> others =
        List.of(
            new Snapshot.Key("notes", 3, KEY.filter()),
            new Snapshot.Key("tasks", 4, KEY.filter()),
            new Snapshot.Key("tasks", 3, TopicFilter.parse("ralph.other.task")));
    store.save(KEY, SNAPSHOT);
    Path saved = file();
    for (Snapshot.Key other : others) {
      assertThat(store.load(other)).isEmpty();
      store.save(other, SNAPSHOT);
    }
    try (Stream<Path> files = Files.list(snapshots)) {
      for (Path file : files.filter(each -> !each.equals(saved)).toList()) {
        Files.copy(saved, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    for (Snapshot.Key other : others) {
      assertThat(store.load(other)).as("a file under another snapshot's name").isEmpty();
    }
    assertThat(store.load(KEY)).isPresent();
  }

  @Test
  void unusableSnapshot_isIgnored() throws IOException {
    Files.writeString(snapshots, "a file where the folder should be");
    store.save(KEY, SNAPSHOT);
    assertThat(store.load(KEY)).isEmpty();
    assertThat(snapshots).hasContent("a file where the folder should be");
  }

  @Test
  void erasureOfManyTopics_appliesToAll() throws IOException {
    Path word = directory.resolve("erased");
    FileSnapshotStore erasing = new FileSnapshotStore(new StoreFiles(directory), snapshots, word);
    for (int i = 0; i < 100; i++) {
      erasing.erasing(2_000 + i, Set.of(Topic.of("ralph.s" + i)));
    }
    erasing.save(KEY, SNAPSHOT);
    assertThat(erasing.load(KEY)).as("no erasure applies").isPresent();

    erasing.erasing(2_100, Set.of(Topic.of("ralph.s100")));
    assertThat(erasing.load(KEY)).isEmpty();
    erasing.save(KEY, new Snapshot("newer", Position.of(2_001), new byte[0]));
    assertThat(erasing.load(KEY)).as("newer than the first erasure").isPresent();
  }

  @Test
  void unreadableErasures_applyToAll() throws IOException {
    Path word = directory.resolve("erased");
    FileSnapshotStore erasing = new FileSnapshotStore(new StoreFiles(directory), snapshots, word);
    for (String unreadable :
        List.of("", "\n", "x\n", "9 ralph.other\n", "9 not a topic\n0\n", "0\n".repeat(99_999))) {
      Files.deleteIfExists(word);
      erasing.save(KEY, SNAPSHOT);
      assertThat(erasing.load(KEY)).isPresent();
      Files.writeString(word, unreadable);
      assertThat(erasing.load(KEY)).as("erasures file '%.20s'", unreadable).isEmpty();
    }
    erasing.erasing(2_000, Set.of(Topic.of("ralph.other")));
    assertThat(word).hasContent("2000 ralph.other\n2000");
  }

  @Test
  void invalidSnapshot_isRemovedWithAnyTopic() throws IOException {
    store.save(KEY, SNAPSHOT);
    Path kept = file();
    Path copy = snapshots.resolve("of-another-name.snapshot");
    Files.copy(kept, copy);
    Files.writeString(snapshots.resolve("cut-short"), "the state");
    store.remove(Set.of(Topic.of("ralph.other.task")));
    assertThat(snapshots.toFile().listFiles()).containsExactly(kept.toFile());
    store.remove(Set.of(Topic.of("ralph.main.task")));
    assertThat(snapshots).isEmptyDirectory();
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.list(snapshots)) {
      return files.findFirst().orElseThrow();
    }
  }
}
