package dev.ralph.store.chronicle;

import static dev.ralph.store.chronicle.TestQueue.append;
import static dev.ralph.store.chronicle.TestQueue.appendOnDay;
import static dev.ralph.store.chronicle.TestQueue.open;
import static dev.ralph.store.chronicle.TestQueue.read;
import static dev.ralph.store.chronicle.TestQueue.rollFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.Frame;
import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.chronicle.TestQueue.Reading;
import dev.ralph.store.support.StoreLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a wrong or damaged {@code end} file overwrites no frame. */
class DamagedEndTest {

  private static final String HIDE = "mount -t tmpfs none /proc/sys/kernel/random";

  @TempDir Path temp;

  @Test
  void flippedBitInEndFile_losesNoFrame() throws IOException {
    Path directory = temp.resolve("store");
    List<String> expected = new ArrayList<>(List.of("one", "two", "three"));
    for (String content : expected) {
      appendOnDay(directory, 0, content);
    }
    Path end = directory.resolve("end");
    int bits = (int) Files.size(end) * 8;
    for (int bit = 0; bit < bits; bit += 7) { // one bit of each byte
      byte[] page = Files.readAllBytes(end);
      page[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(end, page);
      try (FrameStore store = open(directory)) {
        assertThat(read(store)).as("bit " + bit).isEqualTo(new Reading(expected, List.of()));
        if (bit % 2 == 0) {
          String content = "after bit " + bit;
          append(store, content);
          expected.add(content);
          assertThat(read(store)).as("bit " + bit).isEqualTo(new Reading(expected, List.of()));
        }
      }
    }
    assertThat(rollFile(directory, 1)).doesNotExist();
  }

  @Test
  void outdatedEndFile_hidesNoFrame() throws IOException {
    Path directory = temp.resolve("store");
    Path end = directory.resolve("end");
    appendOnDay(directory, 0, "one");
    final byte[] earlier = Files.readAllBytes(end);
    appendOnDay(directory, 0, "two", "three");
    appendOnDay(directory, 0, "four");
    Files.write(end, earlier);
    try (FrameStore store = open(directory)) {
      append(store, "five");
      assertThat(read(store))
          .isEqualTo(new Reading(List.of("one", "two", "three", "four", "five"), List.of()));
    }
  }

  @Test
  void damageAfterOutdatedEnd_isReportedAndKept() throws IOException {
    Path directory = temp.resolve("store");
    Path end = directory.resolve("end");
    appendOnDay(directory, 0, "one");
    final byte[] earlier = Files.readAllBytes(end);
    Frame last;
    try (FrameStore store = open(directory)) {
      last = append(store, "two-is-the-last").get(0);
    }
    TestQueue.flip(rollFile(directory, 0), "two-is-the-last");
    final byte[] before = TestQueue.beginning(rollFile(directory, 0));
    Files.write(end, earlier);
    try (FrameStore store = open(directory)) {
      append(store, "three");
      assertThat(read(store).contents()).containsExactly("one", "three");
      assertThat(store.verify())
          .singleElement()
          .satisfies(
              damage -> {
                assertThat(damage.file()).startsWith("queue/20260506F.cq4");
                assertThat(damage.bytes()).isPositive();
                assertThat(damage.offset() + damage.bytes()).isEqualTo(TestQueue.offset(last));
              });
    }
    assertThat(rollFile(directory, 0)).doesNotExist();
    Path aside = rollFile(directory, 0).resolveSibling("20260506F.cq4.aside");
    assertThat(TestQueue.beginning(aside)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x80}) // without and with Chronicle's mark of a begun excerpt
  void unfinishedExcerpt_isOverwritten(int mark) throws IOException {
    Path directory = temp.resolve("store");
    Frame last;
    try (FrameStore store = open(directory)) {
      last = append(store, "one").get(0);
    }
    leaveUnfinished(directory, last, mark);
    List<String> expected = new ArrayList<>(List.of("one"));
    try (FrameStore store = open(directory)) {
      for (int i = 0; i < 40; i++) {
        String content = i + "-" + "y".repeat(30_000);
        append(store, content);
        expected.add(content);
      }
      assertThat(read(store)).isEqualTo(new Reading(expected, List.of()));
    }
    assertThat(rollFile(directory, 1)).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x80})
  void killedWriter_leavesNoDamageToOpenStore(int mark) throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore store = open(directory)) {
      leaveUnfinished(directory, append(store, "one").get(0), mark);
      append(store, "two");
      append(store, "three");
      assertThat(read(store)).isEqualTo(new Reading(List.of("one", "two", "three"), List.of()));
    }
    assertThat(rollFile(directory, 1)).doesNotExist();
  }

  /** Writes the bytes and the mark of a writer that is killed during an append. */
  private static void leaveUnfinished(Path directory, Frame last, int mark) throws IOException {
    byte[] torn = new byte[600_000];
    Arrays.fill(torn, (byte) 'x');
    torn[0] = torn[1] = torn[2] = 0;
    torn[3] = (byte) mark;
    TestQueue.write(rollFile(directory, 0), TestQueue.offset(last) + 3 & ~3L, torn);
    try (StoreLock lock = StoreLock.open(directory.resolve("lock"))) {
      lock.acquire();
      lock.mark(1);
      lock.release();
    }
  }

  @Test
  void clearedEndFile_failsUntilStoreIsReopened() throws IOException {
    Path directory = temp.resolve("store");
    try (FrameStore store = open(directory)) {
      append(store, "one");
      TestQueue.write(directory.resolve("end"), 0, new byte[128]);
      assertThat(code(() -> append(store, "two"))).isEqualTo(RalphException.Code.DAMAGED);
      assertThat(code(() -> read(store))).isEqualTo(RalphException.Code.DAMAGED);
    }
    try (FrameStore store = open(directory)) {
      append(store, "three");
      assertThat(read(store)).isEqualTo(new Reading(List.of("one", "three"), List.of()));
    }
  }

  private static RalphException.Code code(Runnable action) {
    try {
      action.run();
    } catch (RalphException e) {
      return e.code();
    }
    throw new AssertionError("no exception");
  }

  /** Reads a store and appends to it, in a process that can't read the system's start. */
  static final class WithoutBootId {
    private WithoutBootId() {}

    public static void main(String[] args) {
      try (FrameStore store = open(Path.of(args[0]))) {
        System.out.println(read(store));
        append(store, "three");
        System.out.println(read(store));
      }
    }
  }

  @Test
  void unknownSystemStart_rereadsLog() throws Exception {
    Path directory = temp.resolve("store");
    Path end = directory.resolve("end");
    appendOnDay(directory, 0, "one");
    List<String> hidden = List.of("-m", "sh", "-c", HIDE + " && exec \"$@\"", "sh");
    assumeTrue(ChildJvm.runs(hidden), "the boot id can't be hidden");
    List<String> first =
        ChildJvm.runUnder(
            hidden, JvmFlags.needed(), WithoutBootId.class, directory.resolve("other"));
    assertThat(first).last().asString().contains("[three]");
    ChildJvm.runUnder(hidden, JvmFlags.needed(), WithoutBootId.class, directory);
    final byte[] earlier = Files.readAllBytes(end); // written with an unknown boot id
    appendOnDay(directory, 0, "four");
    Files.write(end, earlier);
    List<String> output =
        ChildJvm.runUnder(hidden, JvmFlags.needed(), WithoutBootId.class, directory);
    assertThat(output)
        .containsExactly(
            new Reading(List.of("one", "three", "four"), List.of()).toString(),
            new Reading(List.of("one", "three", "four", "three"), List.of()).toString());
  }
}
