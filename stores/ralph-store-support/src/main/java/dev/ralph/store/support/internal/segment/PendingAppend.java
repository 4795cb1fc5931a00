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

/** A batch during the append, and the outcome. Not thread-safe. */
public abstract class PendingAppend {

  private final Batch batch;
  private @Nullable Appended result;
  private @Nullable RuntimeException failure;
  private @Nullable SegmentFile writtenIn;

  /** Creates an append without an outcome. */
  protected PendingAppend(Batch batch) {
    this.batch = batch;
  }

  /** Returns the batch to append. */
  public final Batch batch() {
    return batch;
  }

  /** Returns true if the batch is in the log, durable or not. */
  public final boolean isWritten() {
    return writtenIn != null;
  }

  /** Returns true if the batch contains frames that keep their ids. */
  public final boolean imports() {
    for (Draft draft : batch.drafts()) {
      if (draft.id() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Records a result without a write: the batch was already in the log, or its condition failed.
   */
  public final void succeed(Appended with) {
    result = with;
  }

  /**
   * Records a successful write.
   *
   * @param in the file to sync
   */
  public final void succeed(Appended with, SegmentFile in) {
    result = with;
    writtenIn = in;
  }

  /** Records a failure. */
  public final void fail(RuntimeException with) {
    failure = with;
  }

  /** Records the failure of a whole group, unless this append has an outcome. */
  public final void failUnlessDecided(RuntimeException with) {
    if (result == null && failure == null) {
      failure = with;
    }
  }

  /**
   * Records a failure after which the batch may or may not be in the log. Keeps a result that
   * needed no write.
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

  /** Clears the failure before the next attempt. */
  final void retry() {
    failure = null;
  }

  /** Returns the failure, or null. */
  public final @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Returns the result.
   *
   * @throws RalphException the failure of the append
   */
  public final Appended outcome() {
    if (failure != null) {
      throw failure;
    }
    if (result == null) {
      throw new IllegalStateException("the append has no outcome yet");
    }
    return result;
  }

  /**
   * Makes the written batches durable. After a failed sync the contents of the disk are unknown,
   * and the appends fail with {@link IndeterminateException}.
   *
   * @param witness records the durable end of the log
   * @return false if a sync failed; no further bytes may be written to the segment
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
