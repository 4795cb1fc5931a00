package dev.ralph.agents;

import dev.ralph.AgentResult.Cause;
import java.time.Duration;
import java.util.Optional;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Says when it is of no use to wait for a client that asks its model again and again: a loop can
 * wait better, and others can see why. Safe for several threads.
 */
final class Retries {

  /**
   * So many failures in a row are enough where the key is refused, since a client renews its token
   * after the first, and where the iteration has a time limit.
   */
  static final int ENOUGH = 3;

  /** A model that will not be asked again for longer than this has turned the agent away. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  /**
   * A failure that the client tries to get over.
   *
   * @param attempt the number of the next try, from 1
   * @param most how many tries there will be, or 0 where the client does not say
   * @param pause until the next try, or null where the client does not say
   */
  record Retry(ModelError error, int attempt, int most, @Nullable Duration pause) {

    /** Returns it in words for people. */
    String said(ClientName client) {
      return "the model failed: "
          + error.said()
          + "; "
          + client.name()
          + " tries again (attempt "
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

  /** A retry that nobody was told of yet. */
  @GuardedBy("this")
  private @Nullable Retry news;

  /**
   * The model failed, and the client is going to ask it again.
   *
   * @param pause until when, or null if the client does not say
   */
  synchronized void failed(ModelError error, @Nullable Duration pause) {
    failed(error, pause, inARow + 1, 0);
  }

  /**
   * As above, by the client's own count of failures in a row. Telling of the same one again does
   * nothing new.
   *
   * @param most how many failures in a row the client tries to get over, or 0 if it does not say
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

  /** The model has answered. */
  synchronized void answered() {
    last = null;
    wait = null;
    inARow = 0;
  }

  /** Returns the newest retry, once. */
  synchronized Optional<Retry> news() {
    Optional<Retry> untold = Optional.ofNullable(news);
    news = null;
    return untold;
  }

  /** Returns the last failure since the model answered, or null if there is none. */
  synchronized @Nullable ModelError last() {
    return last;
  }

  /**
   * Returns the failure to give up for.
   *
   * @param hasLimit whether the iteration's time is limited
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
    // Where the client does not say how long it waits, the silence after it does.
    boolean silent = System.nanoTime() - since > LONGEST_WAIT.toNanos();
    return silent && last.cause() == Cause.RATE_LIMITED ? Optional.of(last) : Optional.empty();
  }
}
