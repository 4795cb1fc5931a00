package dev.ralph.agents;

import dev.ralph.AgentResult.Cause;
import dev.ralph.agents.internal.ClientName;
import java.time.Duration;
import java.util.Optional;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to give up a client during retries of the model. A loop can wait better, and shows
 * the reason to others. Safe for use by several threads.
 */
final class Retries {

  /**
   * The failures in a row after which to give up if the key is refused or the iteration has a time
   * limit. A client renews its token after the first failure.
   */
  static final int ENOUGH = 3;

  /** The longest wait before a retry. A longer wait counts as a rate limit. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  /**
   * A failure retried by the client.
   *
   * @param attempt the number of the next attempt, from 1
   * @param most the number of attempts, or 0 if unknown
   * @param pause the time until the next attempt, or null if unknown
   */
  record Retry(ModelError error, int attempt, int most, @Nullable Duration pause) {

    /** Returns a description for people. */
    String describe(ClientName client) {
      return "the model failed: "
          + error.text()
          + "; "
          + client.name()
          + " retries (attempt "
          + attempt
          + (most > 0 ? " of " + most : "")
          + (pause == null ? "" : ", in " + Math.max(1, (pause.toMillis() + 500) / 1000) + " s")
          + ")";
    }
  }

  @GuardedBy("this")
  private @Nullable ModelError last;

  @GuardedBy("this")
  private @Nullable Duration wait;

  @GuardedBy("this")
  private int inARow;

  @GuardedBy("this")
  private long since;

  /** A retry that was not returned by {@link #news} yet. */
  @GuardedBy("this")
  private @Nullable Retry news;

  /**
   * Records a failure that the client retries.
   *
   * @param pause the time until the next attempt, or null if unknown
   */
  synchronized void failed(ModelError error, @Nullable Duration pause) {
    failed(error, pause, inARow + 1, 0);
  }

  /**
   * Records a failure with the client's number of failures in a row. Repeated reports of the same
   * failure create no new retry.
   *
   * @param most the number of failures in a row that the client retries, or 0 if unknown
   */
  synchronized void failed(ModelError error, @Nullable Duration wait, int inARow, int most) {
    if (last == null || inARow != this.inARow) {
      news = new Retry(error, inARow, most, wait);
    }
    last = error;
    this.wait = wait;
    this.inARow = inARow;
    since = System.nanoTime();
  }

  /** Resets the failures after an answer of the model. */
  synchronized void answered() {
    last = null;
    wait = null;
    inARow = 0;
  }

  /** Returns the newest retry if it was not returned before. */
  synchronized Optional<Retry> news() {
    Optional<Retry> untold = Optional.ofNullable(news);
    news = null;
    return untold;
  }

  /** Returns the last failure since the model answered, or null. */
  synchronized @Nullable ModelError last() {
    return last;
  }

  /**
   * Returns the failure for which to give up, or empty.
   *
   * @param hasLimit whether the iteration has a time limit
   */
  synchronized Optional<ModelError> hopeless(boolean hasLimit) {
    if (last == null) {
      return Optional.empty();
    }
    boolean enough = inARow >= ENOUGH && (hasLimit || last.cause() == Cause.NOT_LOGGED_IN);
    if (enough || last.comesAgain()) {
      return Optional.of(last.waiting(wait));
    }
    if (wait != null) {
      return wait.compareTo(LONGEST_WAIT) > 0
          ? Optional.of(last.as(Cause.RATE_LIMITED).waiting(wait))
          : Optional.empty();
    }
    // Without a reported wait, the silence of the client counts.
    boolean silent = System.nanoTime() - since > LONGEST_WAIT.toNanos();
    return silent && last.cause() == Cause.RATE_LIMITED ? Optional.of(last) : Optional.empty();
  }
}
