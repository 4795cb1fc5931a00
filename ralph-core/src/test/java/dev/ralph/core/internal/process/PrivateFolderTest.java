package dev.ralph.core.internal.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {

  @TempDir Path parent;

  @Test
  void isForItsOwnerAloneAndGoneWhenClosed() throws Exception {
    try (PrivateFolder folder = PrivateFolder.create(parent, Instant.now())) {
      Path file = Files.writeString(folder.file("password"), "secret");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
          .isEqualTo("rwx------");
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void whatAKilledProcessLeftIsRemovedAndWhatIsInUseIsNot() throws Exception {
    Instant later = Instant.now().plus(Duration.ofHours(1));
    Path left = Files.createDirectory(parent.resolve("ralph-agent-left"));
    Files.writeString(left.resolve("password"), "secret");
    Path other = Files.createDirectory(parent.resolve("something-else"));
    Path target = Files.writeString(other.resolve("file"), "kept");
    Files.createSymbolicLink(parent.resolve("ralph-agent-link"), other);
    try (PrivateFolder used = PrivateFolder.create(parent, Instant.now())) {
      assertThat(left).as("too young to be known as left").exists();
      Path inUse = Files.writeString(used.file("password"), "mine");

      PrivateFolder.create(parent, later).close();

      assertThat(left).doesNotExist();
      assertThat(inUse).exists();
      assertThat(target).exists();
    }
  }

  @Test
  void anotherProcessLeavesWhatIsInUseHoweverManyAProcessHas() throws Exception {
    Instant later = Instant.now().plus(Duration.ofHours(1));
    try (PrivateFolder used = PrivateFolder.create(parent, Instant.now());
        PrivateFolder second = PrivateFolder.create(parent, later)) {
      List<Path> inUse =
          List.of(
              Files.writeString(used.file("password"), "mine"),
              Files.writeString(second.file("password"), "mine"));

      Process other =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Sweeper.class.getName(),
                  parent.toString(),
                  later.toString())
              .inheritIO()
              .start();

      assertThat(other.waitFor()).isZero();
      assertThat(inUse).allSatisfy(file -> assertThat(file).exists());
    }
  }

  /** Makes a folder, as another process does. */
  static final class Sweeper {
    private Sweeper() {}

    public static void main(String[] arguments) throws Exception {
      PrivateFolder.create(Path.of(arguments[0]), Instant.parse(arguments[1])).close();
    }
  }
}
