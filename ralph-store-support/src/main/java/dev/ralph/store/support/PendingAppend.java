package dev.ralph.store.support;

import dev.ralph.Draft;
import dev.ralph.IndeterminateException;
import dev.ralph.Position;
import dev.ralph.RalphException;
import dev.ralph.spi.Appended;
import dev.ralph.spi.Batch;
import javax.annotation.Nullable;

/** A batch on its way, and what has become of it. For one thread at a time. */
public abstract class PendingAppend {

  private final Batch batch;
  @Nullable private Appended result;
  @Nullable private RuntimeException failure;

  /** Begins with neither a result nor a failure. */
  protected PendingAppend(Batch batch) {
    this.batch = batch;
  }

  /** Returns what is to be appended. */
  public final Batch batch() {
    return batch;
  }

  /** Returns whether the batch stands in the log, durable or not. */
  public abstract boolean isWritten();

  /** Returns whether it holds frames that keep their ids. */
  public final boolean imports() {
    for (Draft draft : batch.drafts()) {
      if (draft.id() != null) {
        return true;
      }
    }
    return false;
  }

  /** Takes note that it was carried out, or that its condition did not hold. */
  public final void succeed(Appended with) {
    result = with;
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

  /** Takes note of a failure that left it open what became of the batch. */
  public final void failUnlessFailed(Throwable cause) {
    if (failure == null) {
      failure =
          isWritten()
              ? new IndeterminateException(
                  "the batch " + batch.id() + " was written, but not confirmed: " + cause,
                  batch.id(),
                  Position.START,
                  true,
                  cause)
              : new RalphException(
                  RalphException.Code.IO, "the batch was not appended: " + cause, cause);
    }
  }

  /** Forgets a failure, to try again. */
  final void retry() {
    failure = null;
  }

  /** Returns what it failed with, or null. */
  @Nullable
  public final RuntimeException failure() {
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
}
