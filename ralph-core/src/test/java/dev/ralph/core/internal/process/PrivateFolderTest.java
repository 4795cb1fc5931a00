package dev.ralph.core.internal.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {

  @TempDir Path parent;

  @Test
  void folder_isPrivateAndDeletedOnClose() throws Exception {
    try (PrivateFolder folder = PrivateFolder.create(parent, Instant.now())) {
      Path file = Files.writeString(folder.file("password"), "secret");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
          .isEqualTo("rwx------");
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void pendingInterrupt_doesNotFailCreation() throws Exception {
    Thread.currentThread().interrupt();
    try (PrivateFolder folder = PrivateFolder.create(parent, Instant.now())) {
      assertThat(Thread.interrupted()).isTrue();
      assertThat(folder.file("lock")).hasContent("\n");
    } finally {
      boolean unused = Thread.interrupted();
    }
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void folderOfKilledProcess_isRemovedLater() throws Exception {
    Instant later = Instant.now().plus(Duration.ofHours(1));
    Path left = Files.createDirectory(parent.resolve("ralph-agent-left"));
    Files.writeString(left.resolve("password"), "secret");
    Path other = Files.createDirectory(parent.resolve("something-else"));
    Path target = Files.writeString(other.resolve("file"), "kept");
    Files.createSymbolicLink(parent.resolve("ralph-agent-link"), other);
    try (PrivateFolder used = PrivateFolder.create(parent, Instant.now())) {
      assertThat(left).as("too new to count as left behind").exists();
      Path inUse = Files.writeString(used.file("password"), "mine");

      PrivateFolder.create(parent, later).close();

      assertThat(left).doesNotExist();
      assertThat(inUse).exists();
      assertThat(target).exists();
    }
  }

  @Test
  void folderOfProcessJustKilled_isRemoved() throws Exception {
    try (PrivateFolder used = PrivateFolder.create(parent, Instant.now())) {
      Path inUse = Files.writeString(used.file("password"), "mine");
      Process killed = process(Keeper.class, parent.toString());
      Path left =
          Path.of(
              new BufferedReader(new InputStreamReader(killed.getInputStream(), UTF_8)).readLine());
      assertThat(left).exists();

      process(Sweeper.class, parent.toString(), Instant.now().toString()).waitFor();
      assertThat(left).as("kept while its process runs").exists();

      killed.destroyForcibly().waitFor();
      process(Sweeper.class, parent.toString(), Instant.now().toString()).waitFor();
      assertThat(left).doesNotExist();
      assertThat(inUse).exists();
    }
  }

  private static Process process(Class<?> program, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
  }

  @Test
  void foldersInUse_areKeptByASecondProcess() throws Exception {
    Instant later = Instant.now().plus(Duration.ofHours(1));
    try (PrivateFolder used = PrivateFolder.create(parent, Instant.now());
        PrivateFolder second = PrivateFolder.create(parent, later)) {
      List<Path> inUse =
          List.of(
              Files.writeString(used.file("password"), "mine"),
              Files.writeString(second.file("password"), "mine"));

      Process other = process(Sweeper.class, parent.toString(), later.toString());

      assertThat(other.waitFor()).isZero();
      assertThat(inUse).allSatisfy(file -> assertThat(file).exists());
    }
  }

  /** Creates a folder with a password file, prints the file's path, and waits to be killed. */
  static final class Keeper {
    private Keeper() {}

    public static void main(String[] arguments) throws Exception {
      PrivateFolder folder = PrivateFolder.create(Path.of(arguments[0]), Instant.now());
      System.out.println(Files.writeString(folder.file("password"), "secret"));
      Thread.sleep(Duration.ofMinutes(5).toMillis());
      folder.close();
    }
  }

  /** Creates a folder in another process, which removes the folders of dead processes. */
  static final class Sweeper {
    private Sweeper() {}

    public static void main(String[] arguments) throws Exception {
      PrivateFolder.create(Path.of(arguments[0]), Instant.parse(arguments[1])).close();
    }
  }
}
