package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real sync that the operating system rejects, in a process of its own. */
class RefusedSyncTest {

  private static final Path STRACE = Path.of("/usr/bin/strace");

  @TempDir Path temp;

  @Test
  void failedSync_failsAppend() throws Exception {
    assumeTrue(Files.exists(STRACE), "there is no strace here to make a sync fail");
    Path directory = temp.resolve("store");
    TestLog.writeSegments(directory, 1);
    String failing =
        "set -- "
            + STRACE
            + " -f -qq -o "
            + temp.resolve("trace")
            + " -P "
            + TestLog.segment(directory)
            + " -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO \"$@\"; ";
    assertThat(ChildJvm.run(failing, Appending.class, directory)).containsExactly("INDETERMINATE");
    assertThat(TestLog.segment(directory, 2)).exists();
  }

  static final class Appending {

    private Appending() {}

    public static void main(String[] args) {
      try (FrameStore store = TestLog.open(Path.of(args[0]))) {
        store.append(TestLog.batch(TestLog.TOPIC, "refused"));
        System.out.println("done");
      } catch (RalphException e) {
        System.out.println(e.code());
      }
    }
  }
}
