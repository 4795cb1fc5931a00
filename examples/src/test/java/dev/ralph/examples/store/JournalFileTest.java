package dev.ralph.examples.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.FrameStore;
import dev.ralph.spi.Scru128;
import dev.ralph.spi.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests recovery: an incomplete last record is removed; any other damage is reported. */
class JournalFileTest {

  private static final Topic TOPIC = Topic.of("ralph.test.task");
  private static final int BATCHES = 6;

  @TempDir Path temp;
  private Path directory;
  private Path journal;

  /** The length of the file before the first append and after each append. */
  private final List<Integer> ends = new ArrayList<>();

  private byte[] whole = {};
  private String storeId = "";

  @BeforeEach
  void append() throws IOException {
    directory = temp.resolve("store");
    journal = directory.resolve(JournalFile.NAME);
    try (FrameStore store = open()) {
      storeId = store.info().storeId();
      ends.add((int) Files.size(journal));
      for (int i = 0; i < BATCHES; i++) {
        store.append(batch(Draft.of(TOPIC, Meta.of("n", i), "text " + i)));
        ends.add((int) Files.size(journal));
      }
    }
    whole = Files.readAllBytes(journal);
  }

  @Test
  void flippedBit_losesNoIntactRecord() throws IOException {
    int lastBatch = ends.get(BATCHES - 1);
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (1 << at % 8);
      Files.write(journal, damaged);
      if (at < lastBatch) {
        assertDamaged(at);
        assertThat(journal).as("byte " + at).hasBinaryContent(damaged);
      } else {
        assertThat(contents()).as("byte " + at).isEqualTo(texts(BATCHES - 1));
      }
    }
  }

  @Test
  void damagedFirstRecord_isNotReplaced() throws IOException {
    byte[] first = Arrays.copyOf(whole, ends.get(0));
    for (int at = 0; at < first.length; at++) {
      byte[] damaged = first.clone();
      damaged[at] ^= (byte) (1 << at % 8);
      Files.write(journal, damaged);
      assertDamaged(at);
      assertThat(journal).as("byte " + at).hasBinaryContent(damaged);
    }
  }

  private void assertDamaged(int at) {
    assertThatThrownBy(this::contents)
        .as("byte " + at)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.DAMAGED));
  }

  @Test
  void badRecordBeforeCutRecord_isReported() throws IOException {
    byte[] damaged = Arrays.copyOf(whole, whole.length - 1);
    damaged[ends.get(BATCHES - 1) - 1] ^= 1;
    Files.write(journal, damaged);
    assertThatThrownBy(this::contents)
        .hasMessageContaining("byte " + ends.get(BATCHES - 2))
        .hasMessageContaining("restore the file from a backup");
  }

  @Test
  void incompleteRecord_isRemoved() throws IOException {
    for (int length = 0; length < whole.length; length++) {
      Files.write(journal, Arrays.copyOf(whole, length));
      int batches = -1;
      while (ends.get(batches + 1) <= length) {
        batches++;
      }
      try (FrameStore store = open()) {
        if (batches >= 0) {
          assertThat(store.info().storeId()).as("file of " + length + " bytes").isEqualTo(storeId);
        }
        store.append(batch(Draft.of(TOPIC, Meta.empty(), "goes on")));
      }
      List<String> expected = texts(Math.max(0, batches));
      expected.add("goes on");
      assertThat(contents()).as("file of " + length + " bytes").isEqualTo(expected);
    }
  }

  @Test
  void failedSync_failsLaterSyncs() {
    Clock clock = Clock.systemUTC();
    JournalFile file = JournalFile.open(directory);
    JournalStore store = new JournalStore(file, clock);
    Draft imported =
        Draft.imported(new Scru128(clock).next(), Instant.EPOCH, TOPIC, Meta.empty(), "imported");
    store.append(batch(imported).synced(false));
    file.close(); // makes the next sync fail

    assertThatThrownBy(() -> store.append(batch(imported).synced(true)))
        .isInstanceOf(IndeterminateException.class);
    assertThatThrownBy(() -> store.append(batch(imported).synced(true)))
        .isNotInstanceOf(IndeterminateException.class)
        .hasMessageContaining("close and reopen the journal");
  }

  @Test
  void journal_isReadableByItsOwnerOnly() throws IOException {
    assumeTrue(journal.getFileSystem().supportedFileAttributeViews().contains("posix"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(journal)))
        .isEqualTo("rw-------");
  }

  private FrameStore open() {
    return new JournalStoreProvider().open(StoreConfig.in(directory));
  }

  private static Batch batch(Draft draft) {
    return Batch.of(UUID.randomUUID().toString(), List.of(draft)).synced(false);
  }

  private static List<String> texts(int count) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add("text " + i);
    }
    return texts;
  }

  private List<String> contents() {
    List<String> contents = new ArrayList<>();
    try (FrameStore store = open();
        FrameCursor cursor = store.read(Query.of(TopicFilter.all()))) {
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        contents.add(frame.content());
      }
    }
    return contents;
  }
}
