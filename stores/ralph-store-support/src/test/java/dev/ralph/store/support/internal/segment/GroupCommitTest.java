package dev.ralph.store.support.internal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.store.support.StoreFiles;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every appender gets an outcome, even if the store throws an exception during a write. */
class GroupCommitTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path temp;

  @Test
  void anyThrowable_failsAllWaitingAppends() throws Exception {
    for (Supplier<Throwable> thrown :
        List.<Supplier<Throwable>>of(
            () -> new EOFException("checked"),
            () -> new IllegalStateException("unchecked"),
            () -> new InternalError("an error"),
            Unspeakable::new)) {
      Failing committer = new Failing(thrown);
      GroupCommit<Pending> commits = new GroupCommit<>(committer);
      List<Appending> appends = startTogether(commits, committer, 9);
      for (Appending append : appends) {
        append.join(LONG.toMillis());
        assertThat(append.isAlive()).as(append.getName() + " still waits").isFalse();
      }
      for (Appending append : appends) {
        assertThat(append.thrown).isInstanceOf(RalphException.class);
      }

      committer.thrown = () -> null;
      committer.turns.release();
      assertThat(commits.append(new Pending(true)).isConflict()).isTrue();
      List<Appending> later = startTogether(commits, committer, 5);
      for (Appending append : later) {
        append.join(LONG.toMillis());
        assertThat(append.isAlive()).as(append.getName() + " still waits").isFalse();
        assertThat(append.thrown).isNull();
      }
      close(commits);
    }
  }

  @Test
  void appendInOwnThread_fails() {
    for (boolean synced : List.of(true, false)) {
      Failing committer = new Failing(() -> new EOFException("checked"));
      committer.turns.release();
      GroupCommit<Pending> commits = new GroupCommit<>(committer);
      Throwable thrown = thrownBy(commits, new Pending(synced));
      assertThat(thrown).isInstanceOf(IndeterminateException.class).hasMessageContaining("checked");
      assertThat(((IndeterminateException) thrown).isWritten()).isFalse();
      commits.close();
    }
  }

  @Test
  void decidedOutcome_survivesFailure() throws IOException {
    Failing committer = new Failing(() -> new EOFException("checked"));
    committer.turns.release(2);
    GroupCommit<Pending> commits = new GroupCommit<>(committer);

    Pending conflict = new Pending(true);
    conflict.succeed(Appended.conflict());
    assertThat(commits.append(conflict).isConflict()).isTrue();

    Pending written = new Pending(true);
    SegmentFile segment =
        new SegmentFile(new StoreFiles(temp), Files.createFile(temp.resolve("segment")).toFile());
    written.succeed(Appended.of(List.of(), Position.START), segment);
    Throwable thrown = thrownBy(commits, written);
    assertThat(thrown).isInstanceOf(IndeterminateException.class);
    assertThat(((IndeterminateException) thrown).isWritten()).isTrue();
    segment.close();
    commits.close();
  }

  /** Blocks the other appends with one append, so that the background thread commits them. */
  private static List<Appending> startTogether(
      GroupCommit<Pending> commits, Failing committer, int count) throws InterruptedException {
    List<Appending> appends = new ArrayList<>();
    committer.entered = new CountDownLatch(1);
    for (int i = 0; i < count; i++) {
      Appending append = new Appending(commits, "append " + i);
      append.start();
      appends.add(append);
      if (i == 0) {
        assertThat(committer.entered.await(LONG.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
      }
    }
    committer.turns.release(count);
    return appends;
  }

  private static void close(GroupCommit<Pending> commits) throws InterruptedException {
    Thread closing = new Thread(commits::close);
    closing.setDaemon(true);
    closing.start();
    closing.join(LONG.toMillis());
    assertThat(closing.isAlive()).as("close() still waits").isFalse();
  }

  private static @Nullable Throwable thrownBy(GroupCommit<Pending> commits, Pending pending) {
    try {
      commits.append(pending);
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  /** Appends one batch, and records the exception. */
  private static final class Appending extends Thread {
    private final GroupCommit<Pending> commits;
    private volatile @Nullable Throwable thrown;

    Appending(GroupCommit<Pending> commits, String name) {
      super(name);
      setDaemon(true);
      this.commits = commits;
    }

    @Override
    public void run() {
      thrown = thrownBy(commits, new Pending(true));
    }
  }

  private static final class Pending extends PendingAppend {
    Pending(boolean synced) {
      super(Batch.of("batch", List.of(Draft.of(Topic.of("topic"), Meta.empty()))).synced(synced));
    }
  }

  /** Throws exceptions that no store should throw, or finds every condition broken. */
  private static final class Failing implements GroupCommit.Committer<Pending> {
    private final Semaphore turns = new Semaphore(0);
    private volatile CountDownLatch entered = new CountDownLatch(1);
    private volatile Supplier<Throwable> thrown;

    Failing(Supplier<Throwable> thrown) {
      this.thrown = thrown;
    }

    @Override
    public void write(Collection<Pending> appends, long since) {
      entered.countDown();
      turns.acquireUninterruptibly();
      Throwable failure = thrown.get();
      if (failure != null) {
        Failing.<RuntimeException>sneak(failure);
      }
      appends.forEach(append -> append.succeed(Appended.conflict()));
    }

    /** Throws undeclared checked exceptions, as compiled code of other languages can. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
      throw (T) thrown;
    }

    @Override
    public void sync(Collection<Pending> appends) {
      // writes nothing
    }
  }

  /** An exception without a description. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw RalphException.io("no description");
    }
  }
}
