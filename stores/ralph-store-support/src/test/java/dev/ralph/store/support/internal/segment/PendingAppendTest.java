package dev.ralph.store.support.internal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.TestFrames;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A group of appends that spans two segments is synced in both. */
class PendingAppendTest {

  @TempDir Path temp;

  @Test
  void failedSyncOfSecondSegment_isNotAcknowledged() throws Exception {
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
          .as("the second segment accepts no more appends")
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

  @Test
  void failedSync_namesStartOfSegment() throws Exception {
    SegmentFile refusing =
        new SegmentFile(new UnsyncedFiles(temp), Files.createFile(temp.resolve("1")).toFile());
    Pending empty = written("empty", refusing, 3);
    Pending full = new Pending("full");
    Position end = Position.of(SegmentPosition.of(3, 100));
    Frame written =
        Frame.of("0".repeat(25), end, Instant.EPOCH, Draft.of(TestFrames.TOPIC, Meta.empty()));
    full.succeed(Appended.of(List.of(written), end), refusing);
    try (LogWitness witness = LogWitness.open(temp, new NoLog())) {
      assertThat(PendingAppend.sync(List.of(empty, full), witness)).isFalse();
    }
    assertThat(since(empty)).isEqualTo(Position.START);
    assertThat(since(full)).isEqualTo(Position.of(SegmentPosition.of(3, 0)));
    refusing.close();
  }

  private static Position since(Pending unconfirmed) {
    return ((IndeterminateException) Objects.requireNonNull(unconfirmed.failure())).since();
  }

  @Test
  void groupFailure_keepsExistingOutcomes() throws Exception {
    RuntimeException reason = new IllegalStateException("the reason");
    RuntimeException ofAll = new IllegalStateException("of all");
    SegmentFile file =
        new SegmentFile(new StoreFiles(temp), Files.createFile(temp.resolve("1")).toFile());
    Pending undecided = new Pending("undecided");
    Pending failed = new Pending("failed");
    failed.fail(reason);
    Pending written = written("written", file, 1);
    for (Pending each : List.of(undecided, failed, written)) {
      each.failUnlessDecided(ofAll);
    }
    assertThat(undecided.failure()).isSameAs(ofAll);
    assertThat(failed.failure()).isSameAs(reason);
    assertThat(written.failure()).isNull();
    file.close();
  }

  @Test
  void outcome_isOpenOnlyAfterPossibleWrite() throws Exception {
    RuntimeException reason = new IllegalStateException("the reason");
    SegmentFile file =
        new SegmentFile(new StoreFiles(temp), Files.createFile(temp.resolve("1")).toFile());
    Pending undecided = new Pending("undecided");
    Pending written = written("written", file, 1);
    Pending failed = new Pending("failed");
    failed.fail(reason);
    Pending conflict = new Pending("conflict");
    conflict.succeed(Appended.conflict());
    for (Pending each : List.of(undecided, written, failed, conflict)) {
      each.leaveOpen(RalphException.invalid("the log was replaced"));
    }
    assertThat(undecided.failure())
        .isInstanceOfSatisfying(
            IndeterminateException.class, e -> assertThat(e.isWritten()).isFalse())
        .hasMessage(
            "the batch %s may not be written: the log was replaced", undecided.batch().id());
    assertThat(written.failure())
        .isInstanceOfSatisfying(
            IndeterminateException.class, e -> assertThat(e.isWritten()).isTrue())
        .hasMessage(
            "the batch %s was written, but not confirmed: the log was replaced",
            written.batch().id());
    assertThat(failed.failure()).isSameAs(reason);
    assertThat(conflict.failure()).isNull();
    assertThat(conflict.outcome().isConflict()).isTrue();

    Pending unknown = new Pending("unknown");
    unknown.leaveOpen(new IllegalStateException("no message of ours"));
    assertThat(unknown.failure()).hasMessageEndingWith("IllegalStateException: no message of ours");
    file.close();
  }

  @Test
  void batchWithIds_isImport() {
    Draft plain = Draft.of(TestFrames.TOPIC, Meta.empty());
    Draft imported =
        Draft.imported("0".repeat(25), Instant.EPOCH, TestFrames.TOPIC, Meta.empty(), "");
    assertThat(new Pending(Batch.of("b", List.of(plain))).imports()).isFalse();
    assertThat(new Pending(Batch.of("b", List.of(plain, imported))).imports()).isTrue();
  }

  private static Pending written(String name, SegmentFile in, int segment) {
    Pending pending = new Pending(name);
    pending.succeed(Appended.of(List.of(), Position.of(SegmentPosition.of(segment, 100))), in);
    return pending;
  }

  private static final class Pending extends PendingAppend {
    Pending(String name) {
      this(TestFrames.batch(name));
    }

    Pending(Batch batch) {
      super(batch);
    }
  }

  /** The witness reads no log before the first acknowledgement. */
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
