package dev.ralph.store.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the temporary files of a process that starts Chronicle. */
class ScratchTest {

  @TempDir Path temp;

  @Test
  void oldFoldersOfKilledProcesses_areDeleted() throws Exception {
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

  /** Covers a kill before the lock, with the lock, with files, and during the deletion. */
  @Test
  void folderOfKilledProcess_isDeletedAtOnce() throws Exception {
    Path victim = Files.writeString(temp.resolve("victim"), "keep me");
    // The process id belongs to a process that has ended.
    String pid = ChildJvm.run(List.of(), Killed.class, temp, "nothing").get(0);
    Path made = Files.createDirectory(temp.resolve("ralph-chronicle-" + pid + "-1"));
    Path locked = Files.createDirectory(temp.resolve("ralph-chronicle-" + pid + "-2"));
    Files.createFile(locked.resolve("in-use"));
    Path full = Files.createDirectory(temp.resolve("ralph-chronicle-" + pid + "-3"));
    Files.createFile(full.resolve("in-use"));
    Files.createFile(full.resolve("metadata.cq4t"));
    Files.createSymbolicLink(full.resolve("link"), victim);
    Path emptied = Files.createDirectory(temp.resolve("ralph-chronicle-" + pid + "-4"));
    Files.createSymbolicLink(emptied.resolve("in-use"), victim);
    long living = ProcessHandle.current().parent().orElseThrow().pid();
    // The process id belongs to a process without the lock.
    Path reused = temp.resolve("ralph-chronicle-" + living + "-5");
    Files.createDirectory(reused);
    Files.createFile(reused.resolve("in-use"));
    assertThat(ChildJvm.run(List.of(), Killed.class, temp, "folder")).hasSize(1);

    try (ScratchFolder next = ScratchFolder.create(temp)) {
      try (Stream<Path> left = Files.list(temp)) {
        assertThat(left).containsExactlyInAnyOrder(victim, next.path());
      }
    }
    assertThat(List.of(made, locked, full, emptied, reused)).allMatch(Files::notExists);
    assertThat(temp).isDirectoryContaining(victim::equals);
    assertThat(victim).hasContent("keep me");
  }

  @Test
  void folderOfLivingProcess_isKept() throws Exception {
    Path beginning = temp.resolve("ralph-chronicle-" + ProcessHandle.current().pid() + "-1");
    Files.createDirectory(beginning); // before the lock
    Path target = Files.createDirectory(temp.resolve("target"));
    Files.createFile(target.resolve("file"));
    Path link = Files.createSymbolicLink(temp.resolve("ralph-chronicle-1-1"), target);
    List<Path> used;
    try (ScratchFolder first = ScratchFolder.create(temp);
        ScratchFolder second = ScratchFolder.create(temp)) {
      used = List.of(first.path(), second.path());
      assertThat(first.path()).isDirectory();
      assertThat(second.path()).isDirectory();
      List<String> arguments = new ArrayList<>(JvmFlags.needed());
      arguments.add("-Djava.io.tmpdir=" + temp);
      assertThat(ChildJvm.run(arguments, Beginner.class, temp.resolve("store")))
          .contains("appended");
      assertThat(first.path().resolve("in-use")).exists();
      assertThat(second.path().resolve("in-use")).exists();
    }
    assertThat(temp).isDirectoryContaining(beginning::equals).isDirectoryContaining(link::equals);
    assertThat(used).allMatch(Files::notExists);
    assertThat(target.resolve("file")).exists();
  }

  /** Creates a scratch folder if requested, and ends like a killed process. */
  static final class Killed {
    private Killed() {}

    public static void main(String[] arguments) throws Exception {
      if (arguments[1].equals("folder")) {
        ScratchFolder folder = ScratchFolder.create(Path.of(arguments[0]));
        Files.createFile(folder.path().resolve("metadata.cq4t"));
      }
      System.out.println(ProcessHandle.current().pid());
      Runtime.getRuntime().halt(137);
    }
  }

  private Path left(String name, Duration age) throws Exception {
    Path folder = Files.createDirectory(temp.resolve(name));
    Files.createFile(folder.resolve("metadata.cq4t"));
    return Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(age)));
  }

  /** Creates a store in the given folder, and appends to it. */
  static final class Beginner {
    private Beginner() {}

    public static void main(String[] arguments) {
      TestQueue.appendOnDay(Path.of(arguments[0]), 0, "the first");
      System.out.println("appended");
    }
  }
}
