package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Appended;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group of appends that begins in one segment and goes on in the next is synced in both. */
class PendingAppendTest {

  @TempDir Path temp;

  @Test
  void whatADiskDoesNotConfirmOfAGroupsSecondSegmentIsNotAcknowledged() throws Exception {
    SegmentFile first =
        new SegmentFile(new StoreFiles(temp), Files.createFile(temp.resolve("1")).toFile());
    SegmentFile second =
        new SegmentFile(new UnsyncedFiles(temp), Files.createFile(temp.resolve("2")).toFile());
    Pending refused = new Pending("refused");
    refused.fail(new IllegalStateException("the reason"));
    Pending conflict = new Pending("conflict");
    conflict.succeed(Appended.conflict());
    Pending before = written("before", first, 1);
    Pending behind = written("behind", second, 2);
    Pending last = written("last", second, 2);

    try (LogWitness witness = LogWitness.open(temp, new NoLog())) {
      assertThat(PendingAppend.sync(List.of(refused, conflict, before), witness)).isTrue();
      assertThat(PendingAppend.sync(List.of(refused, conflict, before, behind, last), witness))
          .as("nobody may go on in the second segment")
          .isFalse();
    }

    assertThatThrownBy(refused::outcome).hasMessage("the reason");
    assertThat(conflict.outcome().isConflict()).isTrue();
    assertThat(before.outcome().isConflict()).isFalse();
    for (Pending each : List.of(behind, last)) {
      assertThatThrownBy(each::outcome)
          .isInstanceOfSatisfying(
              IndeterminateException.class,
              e -> {
                assertThat(e.isWritten()).isTrue();
                assertThat(e.batchId()).isEqualTo(each.batch().id());
              })
          .hasMessageContaining("the disk did not confirm it");
    }
    first.close();
    second.close();
  }

  private static Pending written(String name, SegmentFile in, int segment) {
    Pending pending = new Pending(name);
    pending.succeed(Appended.of(List.of(), Position.of(SegmentPosition.of(segment, 100))), in);
    return pending;
  }

  private static final class Pending extends PendingAppend {
    Pending(String name) {
      super(TestFrames.batch(name));
    }
  }

  /** The witness asks for nothing where it has left no word yet. */
  private final class NoLog implements SegmentedLog {

    @Override
    public StoreFiles files() {
      return new StoreFiles(temp);
    }

    @Override
    public int last() {
      return 0;
    }

    @Override
    public int before(int segment) {
      return 0;
    }

    @Override
    public File file(int segment) {
      return temp.resolve("" + segment).toFile();
    }

    @Override
    public long length(int segment) {
      return 0;
    }
  }
}
