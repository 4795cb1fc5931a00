package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a full disk, on which Chronicle fails while it writes to mapped memory. */
class FullDiskTest {

  private static final String BODY = " " + "x".repeat(3_000);

  @TempDir Path temp;

  @Test
  void fullDisk_appendsContinueAfterCleanup() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(temp.resolve("disk"), "4m")) {
      fillTwiceAndOnTheNextDay(disk.folder());
    }
  }

  private static void fillTwiceAndOnTheNextDay(Path disk) throws IOException {
    Path filler = Files.write(disk.resolve("filler"), new byte[2 * 1024 * 1024]);
    Path directory = disk.resolve("store");
    List<String> acknowledged = new ArrayList<>();
    try (FrameStore store = TestQueue.open(directory)) {
      fill(store, "tight", acknowledged);
      int before = acknowledged.size();
      assertThat(before).isPositive();
      assertThat(TestQueue.read(store).contents()).isEqualTo(acknowledged);
      Files.delete(filler);
      fill(store, "roomy", acknowledged);
      assertThat(acknowledged).hasSizeGreaterThan(before + 100);
      assertThat(TestQueue.read(store).contents()).isEqualTo(acknowledged);
      assertThat(store.verify()).isEmpty();
    }
    try (FrameStore nextDay = TestQueue.open(directory, 1)) {
      fill(nextDay, "no roll file", acknowledged);
      assertThat(TestQueue.read(nextDay).contents()).isEqualTo(acknowledged);
      assertThat(nextDay.verify()).isEmpty();
    }
  }

  @Test
  void tooSmallDisk_isFull() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(temp.resolve("disk"), "512k")) {
      fillAndEnlarge(disk);
    }
  }

  private static void fillAndEnlarge(SmallDisk disk) throws IOException, InterruptedException {
    try (FrameStore store = TestQueue.open(disk.folder().resolve("store"))) {
      List<String> acknowledged = new ArrayList<>();
      fill(store, "none", acknowledged);
      assertThat(acknowledged).isEmpty();
      assertThat(TestQueue.read(store).contents()).isEmpty();
      disk.resize("8m");
      TestQueue.append(store, "now");
      assertThat(TestQueue.read(store).contents()).containsExactly("now");
    }
  }

  /** Appends under a limit to the size of files. */
  static final class Limited {
    private Limited() {}

    public static void main(String[] args) {
      try (FrameStore store = TestQueue.open(Path.of(args[0]))) {
        TestQueue.append(store, "too much");
      } catch (RalphException e) {
        System.out.println(e.code() + " " + e.getMessage());
      }
    }
  }

  @Test
  void fileSizeLimit_isFullAndLosesNothing() throws Exception {
    Path directory = temp.resolve("store");
    List<String> limited = List.of("sh", "-c", "ulimit -f 10240 && exec \"$@\"", "sh");
    List<String> output = ChildJvm.runBy(limited, JvmFlags.needed(), Limited.class, directory);
    assertThat(output).first().asString().startsWith("FULL ").contains("File too large");
    assertThat(output).hasSize(1);
    try (Stream<Path> files = Files.list(directory.resolve("queue"))) {
      assertThat(files)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"))
          .filteredOn(file -> file.toString().contains("F.cq4"))
          .hasSize(1);
    }
    try (FrameStore store = TestQueue.open(directory)) {
      TestQueue.append(store, "one");
      assertThat(TestQueue.read(store).contents()).containsExactly("one");
    }
  }

  /** Appends until the disk is full. */
  private static void fill(FrameStore store, String prefix, List<String> acknowledged) {
    for (int i = 0; i < 5_000; i++) {
      String content = prefix + "-" + i + BODY;
      try {
        if (i % 2 == 0) {
          TestQueue.append(store, content);
        } else {
          store.append(TestQueue.batch(content));
        }
      } catch (RalphException e) {
        assertThat(e.code()).as(e.getMessage()).isEqualTo(RalphException.Code.FULL);
        return;
      }
      acknowledged.add(content);
    }
    throw new AssertionError("the disk does not get full");
  }
}
