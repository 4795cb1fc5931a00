package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The temporary files of a process that starts Chronicle. */
class ScratchTest {

  @TempDir Path temp;

  @Test
  void whatKilledProcessesLeftIsDeletedAndNothingElse() throws Exception {
    Path old = left("ralph-chronicle-1", Duration.ofHours(2));
    Path young = left("ralph-chronicle-2", Duration.ofMinutes(30));
    Path other = left("something-else", Duration.ofHours(2));
    Path link = Files.createSymbolicLink(temp.resolve("ralph-chronicle-3"), other);

    List<String> arguments = new ArrayList<>(JvmFlags.needed());
    arguments.add("-Djava.io.tmpdir=" + temp);
    assertThat(ChildJvm.run(arguments, Beginner.class, temp.resolve("store"))).contains("appended");

    assertThat(old).doesNotExist();
    assertThat(temp)
        .isDirectoryNotContaining("glob:**/ralph-chronicle-[!23]*")
        .isDirectoryContaining(young::equals)
        .isDirectoryContaining(link::equals);
    assertThat(other.resolve("metadata.cq4t")).exists();
  }

  private Path left(String name, Duration age) throws Exception {
    Path folder = Files.createDirectory(temp.resolve(name));
    Files.createFile(folder.resolve("metadata.cq4t"));
    return Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(age)));
  }

  /** Makes the store whose folder is given, and appends to it. */
  static final class Beginner {
    private Beginner() {}

    public static void main(String[] arguments) {
      TestQueue.appendOnDay(Path.of(arguments[0]), 0, "the first");
      System.out.println("appended");
    }
  }
}
