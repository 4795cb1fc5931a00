package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.RalphException;
import dev.ralph.spi.FrameStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chronicle writes to memory that may have no room on the disk, and would fail in the middle. */
class FullDiskTest {

  private static final String BODY = " " + "x".repeat(3_000);

  @TempDir Path temp;

  @Test
  void aStoreGoesOnAsSoonAsThereIsRoomOnItsDisk() throws Exception {
    Path disk = Files.createDirectory(temp.resolve("disk"));
    assumeTrue(shell("mount -t tmpfs -o size=4m tmpfs " + disk) == 0, "no disk can be mounted");
    try {
      fillTwiceAndOnTheNextDay(disk);
    } finally {
      unmount(disk);
    }
  }

  /** In a method of its own: what a method held keeps the disk busy until it is left. */
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
  void aDiskTooSmallForTheFirstRollFileIsFull() throws Exception {
    Path disk = Files.createDirectory(temp.resolve("disk"));
    assumeTrue(shell("mount -t tmpfs -o size=512k tmpfs " + disk) == 0, "no disk can be mounted");
    try {
      fillAndEnlarge(disk);
    } finally {
      unmount(disk);
    }
  }

  private static void fillAndEnlarge(Path disk) throws IOException, InterruptedException {
    try (FrameStore store = TestQueue.open(disk.resolve("store"))) {
      List<String> acknowledged = new ArrayList<>();
      fill(store, "none", acknowledged);
      assertThat(acknowledged).isEmpty();
      assertThat(TestQueue.read(store).contents()).isEmpty();
      assertThat(shell("mount -o remount,size=8m " + disk)).isZero();
      TestQueue.append(store, "now");
      assertThat(TestQueue.read(store).contents()).containsExactly("now");
    }
  }

  /** Appends where no file may become larger than a roll file begins. */
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
  void aLimitToTheSizeOfFilesIsFullAndSpoilsNothing() throws Exception {
    Path directory = temp.resolve("store");
    List<String> limited = List.of("sh", "-c", "ulimit -f 10240 && exec \"$@\"", "sh");
    List<String> said = ChildJvm.runBy(limited, JvmFlags.needed(), Limited.class, directory);
    assertThat(said).first().asString().startsWith("FULL ").contains("File too large");
    assertThat(said).hasSize(1);
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

  /** Appends until that fails for want of room. */
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

  /** The platform keeps the pages of closed files mapped until they are collected. */
  private static void unmount(Path disk) throws Exception {
    int code = shell("umount " + disk);
    for (int i = 0; i < 600 && code != 0; i++) {
      System.gc();
      Thread.sleep(100);
      code = shell("umount " + disk);
    }
    assertThat(code).as("unmounting " + disk).isZero();
  }

  private static int shell(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
