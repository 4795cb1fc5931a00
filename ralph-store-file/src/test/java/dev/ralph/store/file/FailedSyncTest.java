package dev.ralph.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ralph.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.StoreLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that does not confirm a segment while the next one is being opened. */
class FailedSyncTest {

  private static final Path STRACE = Path.of("/usr/bin/strace");

  @TempDir Path temp;

  @Test
  void whatWasNotConfirmedBeforeTheNextSegmentIsToldToWhoAppendsAndNotJustLogged()
      throws Exception {
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

    assertThat(ChildJvm.run(failing, AppendingOverASegmentsEnd.class, directory))
        .containsExactly("IO", "done");

    try (FrameStore store = TestLog.open(directory)) {
      assertThat(TestLog.contents(store)).containsExactly("in 1", "not synced", "again");
      assertThat(Files.readString(TestLog.segment(directory, 2))).contains("again");
    }
  }

  /** Has written to a segment when somebody else begins the next one. */
  static final class AppendingOverASegmentsEnd {

    public static void main(String[] args) {
      Path directory = Path.of(args[0]);
      try (FrameStore store = TestLog.open(directory)) {
        TestLog.append(store, TestLog.TOPIC, "not synced");
        beginNext(directory, store.info().storeId());
        for (String content : List.of("refused", "again")) {
          try {
            TestLog.append(store, TestLog.TOPIC, content);
            System.out.println("done");
          } catch (RalphException e) {
            System.out.println(e.code());
          }
        }
      }
    }

    private static void beginNext(Path directory, String storeId) {
      Segments segments = new Segments(directory.resolve("log"));
      try (StoreLock lock = StoreLock.open(directory.resolve(FileStoreProvider.LOCK))) {
        lock.acquire();
        lock.mark(2);
        segments.create(2, storeId, 0, Line.NO_CHECKSUM);
        lock.release();
      }
    }
  }
}
