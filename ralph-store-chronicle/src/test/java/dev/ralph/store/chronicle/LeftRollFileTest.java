package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.appendOnDay;
import static dev.ralph.store.chronicle.TestQueue.flip;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static dev.ralph.store.chronicle.TestQueue.reboot;
import static dev.ralph.store.chronicle.TestQueue.rollFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.chronicle.TestQueue.Reading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a damaged roll file is set aside, stays readable, and that the log continues. */
class LeftRollFileTest {

  private static final List<String> WHOLE = List.of("one", "two", "three");
  private static final int FIRST_HEADER_BYTES = 22;

  @TempDir Path temp;

  // ---- a damaged beginning

  @Test
  void flippedBitInFirstHeader_losesNoFrame() throws IOException {
    Path pristine = temp.resolve("pristine");
    for (String content : WHOLE) {
      appendOnDay(pristine, 0, content);
    }
    for (int at = 0; at < FIRST_HEADER_BYTES; at++) {
      for (int bit : at == 3 ? List.of(6, 7) : at % 3 == 0 ? List.of(at % 8) : List.<Integer>of()) {
        Path directory = copy(pristine, "flipped-" + at + "-" + bit);
        byte[] bytes = TestQueue.beginning(rollFile(directory, 0));
        bytes[at] ^= (byte) (1 << bit);
        TestQueue.write(rollFile(directory, 0), 0, bytes);
        List<String> expected = new ArrayList<>(WHOLE);
        try (FrameStore store = open(directory)) {
          append(store, "four");
          append(store, "five");
        }
        expected.addAll(List.of("four", "five"));
        try (FrameStore store = open(directory, 1)) {
          append(store, "six");
          expected.add("six");
          String flipped = "bit " + bit + " of byte " + at;
          assertThat(read(store).contents()).as(flipped).isEqualTo(expected);
          assertThat(names(directory)).as(flipped).noneMatch(name -> name.endsWith(".discard"));
        }
      }
    }
  }

  @Test
  void olderDamagedFile_isNotReplacedByChronicle() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 1, "two");
    appendOnDay(directory, 2, "three");
    appendOnDay(directory, 3, "four");
    TestQueue.write(rollFile(directory, 0), 3, new byte[] {(byte) 0xc0});
    Files.delete(directory.resolve("queue/metadata.cq4t"));
    appendOnDay(directory, 4, "five");
    try (FrameStore store = open(directory, 4)) {
      assertThat(read(store).contents()).containsExactly("one", "two", "three", "four", "five");
    }
    assertThat(names(directory)).noneMatch(name -> name.endsWith(".discard"));
  }

  // ---- after a restart of the system

  @Test
  void damagedEnd_isReportedAndKeptAfterRestart() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 0, "two");
    Frame last;
    try (FrameStore store = open(directory)) {
      last = append(store, "three-is-the-last").get(0);
    }
    flip(rollFile(directory, 0), "three-is-the-last");
    List<Damage> same;
    try (FrameStore store = open(directory)) {
      same = store.verify();
      assertThat(same).hasSize(1);
    }
    final byte[] before = TestQueue.beginning(rollFile(directory, 0));
    reboot(directory);
    for (String content : List.of("four", "five")) {
      try (FrameStore store = open(directory)) {
        assertSame(store.verify(), same);
        assertThat(append(store, content).get(0).position()).isGreaterThan(last.position());
        assertSame(store.verify(), same);
      }
      reboot(directory);
    }
    try (FrameStore store = open(directory)) {
      assertThat(read(store).contents()).containsExactly("one", "two", "four", "five");
      assertSame(store.verify(), same);
    }
    Path aside = rollFile(directory, 0).resolveSibling("20260506F.cq4.aside");
    assertThat(TestQueue.beginning(aside)).isEqualTo(before);
  }

  private static void assertSame(List<Damage> damage, List<Damage> expected) {
    assertThat(damage).hasSize(1);
    assertThat(damage.get(0).file()).startsWith(expected.get(0).file());
    assertThat(damage.get(0).offset()).isEqualTo(expected.get(0).offset());
    assertThat(damage.get(0).bytes()).isEqualTo(expected.get(0).bytes());
    assertThat(damage.get(0).frames()).isEqualTo(expected.get(0).frames());
  }

  @Test
  void missingRollFile_isReportedAfterRestart() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    appendOnDay(directory, 1, "two");
    for (int missing : List.of(1, 0)) {
      Files.delete(rollFile(directory, missing));
      reboot(directory);
      try (FrameStore store = open(directory, 1)) {
        assertThat(read(store).contents()).hasSize(missing);
        assertThat(store.verify()).extracting(Damage::file).contains("queue/20260507F.cq4");
        assertThatThrownBy(() -> append(store, "three"))
            .isInstanceOfSatisfying(
                RalphException.class,
                e -> assertThat(e.code()).isEqualTo(RalphException.Code.NOT_FOUND));
      }
    }
  }

  @Test
  void unacknowledgedTornEnd_isKeptWithoutDamage() throws IOException {
    for (boolean pageIsLost : List.of(true, false)) {
      Path directory = temp.resolve("page-is-lost-" + pageIsLost);
      Frame last;
      try (FrameStore store = open(directory)) {
        last = append(store, "one").get(0);
      }
      byte[] torn = new byte[300];
      Arrays.fill(torn, (byte) 'x');
      torn[0] = (byte) 200;
      torn[1] = torn[2] = torn[3] = 0; // Chronicle's mark of a complete excerpt
      TestQueue.write(rollFile(directory, 0), TestQueue.offset(last) + 3 & ~3L, torn);
      final byte[] before = TestQueue.beginning(rollFile(directory, 0));
      if (pageIsLost) {
        Files.write(directory.resolve("end"), new byte[0]);
      } else {
        reboot(directory);
      }
      appendOnDay(directory, 0, "two");
      try (FrameStore store = open(directory)) {
        assertThat(read(store)).isEqualTo(new Reading(List.of("one", "two"), List.of()));
        assertThat(store.verify()).isEmpty();
      }
      Path aside = rollFile(directory, 0).resolveSibling("20260506F.cq4.aside");
      assertThat(TestQueue.beginning(aside)).isEqualTo(before);
    }
  }

  @Test
  void framesLostInPowerCut_areReported() throws IOException {
    Path directory = temp.resolve("store");
    appendOnDay(directory, 0, "one");
    Path roll = rollFile(directory, 0);
    final byte[] synced = TestQueue.beginning(roll);
    appendOnDay(directory, 0, "two");
    TestQueue.write(roll, 0, synced);
    reboot(directory);
    try (FrameStore store = open(directory)) {
      assertThat(read(store).contents()).containsExactly("one");
      assertThat(store.verify()).extracting(Damage::frames).containsExactly(1L);
      append(store, "three");
      assertThat(read(store).contents()).containsExactly("one", "three");
      assertThat(store.verify()).extracting(Damage::frames).containsExactly(1L);
    }
  }

  // ---- files

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("queue"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** Copies the files of a store from which the other files are recreated. */
  private Path copy(Path store, String name) throws IOException {
    Path copy = Files.createDirectories(temp.resolve(name).resolve("queue")).getParent();
    for (String file : List.of("store.json", "end")) {
      Files.copy(store.resolve(file), copy.resolve(file));
    }
    TestQueue.write(rollFile(copy, 0), 0, TestQueue.beginning(rollFile(store, 0)));
    Files.createDirectories(copy.resolve("wake"));
    return copy;
  }
}
