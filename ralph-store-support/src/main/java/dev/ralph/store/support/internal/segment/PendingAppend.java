package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Position;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A batch on its way, and what has become of it. For one thread at a time. */
public abstract class PendingAppend {

  private final Batch batch;
  private @Nullable Appended result;
  private @Nullable RuntimeException failure;
  private @Nullable SegmentFile writtenIn;

  /** Begins with neither a result nor a failure. */
  protected PendingAppend(Batch batch) {
    this.batch = batch;
  }

  /** Returns what is to be appended. */
  public final Batch batch() {
    return batch;
  }

  /** Returns whether the batch stands in the log, durable or not. */
  public final boolean isWritten() {
    return writtenIn != null;
  }

  /** Returns whether it holds frames that keep their ids. */
  public final boolean imports() {
    for (Draft draft : batch.drafts()) {
      if (draft.id() != null) {
        return true;
      }
    }
    return false;
  }

  /** Takes note that it was carried out without a write, or that its condition did not hold. */
  public final void succeed(Appended with) {
    result = with;
  }

  /**
   * Takes note that it was carried out.
   *
   * @param in what is to be synced for it
   */
  public final void succeed(Appended with, SegmentFile in) {
    result = with;
    writtenIn = in;
  }

  /** Takes note of what it failed with. */
  public final void fail(RuntimeException with) {
    failure = with;
  }

  /** Takes note of what all appends of a group failed with, unless it has an outcome. */
  public final void failUnlessDecided(RuntimeException with) {
    if (result == null && failure == null) {
      failure = with;
    }
  }

  /**
   * Takes note of a failure that may have left it open what became of the batch. An outcome without
   * a write stands.
   */
  public final void leaveOpen(Throwable cause) {
    if (failure == null && (result == null || isWritten())) {
      failure =
          new IndeterminateException(
              "the batch "
                  + batch.id()
                  + (isWritten() ? " was written, but not confirmed: " : " may not be written: ")
                  + (cause instanceof RalphException ? cause.getMessage() : cause),
              batch.id(),
              Position.START,
              isWritten(),
              cause);
    }
  }

  /** Forgets a failure, to try again. */
  final void retry() {
    failure = null;
  }

  /** Returns what it failed with, or null. */
  public final @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Returns what became of it.
   *
   * @throws RalphException what it failed with
   */
  public final Appended outcome() {
    if (failure != null) {
      throw failure;
    }
    if (result == null) {
      throw new IllegalStateException("the append has not been carried out");
    }
    return result;
  }

  /**
   * Makes durable what was written of them. After a failure nobody can know what is on the disk, so
   * those who wait are told that.
   *
   * @param witness told how far the log is durable
   * @return false if that failed, so that nobody may write to that segment any more
   */
  public static boolean sync(Collection<? extends PendingAppend> appends, LogWitness witness) {
    SegmentFile synced = null;
    boolean done = true;
    for (PendingAppend append : appends) {
      SegmentFile written = append.writtenIn;
      if (append.failure != null || written == null) {
        continue;
      }
      try {
        if (written != synced) {
          written.sync();
          synced = written;
        }
        witness.synced(append.outcome().position().value());
      } catch (IOException e) {
        done = false;
        append.fail(append.unconfirmed(e));
      }
    }
    return done;
  }

  private IndeterminateException unconfirmed(IOException cause) {
    int segment = SegmentPosition.segment(outcome().position().value());
    return new IndeterminateException(
        "the batch "
            + batch.id()
            + " was written, but the disk did not confirm it: "
            + cause.getMessage(),
        batch.id(),
        outcome().frames().isEmpty() ? Position.START : Position.of(SegmentPosition.of(segment, 0)),
        true,
        cause);
  }
}
