package dev.ralph.core.internal.loop;

import dev.ralph.domain.Lease;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The lease of a loop's claim: renews it, and has the agents ended in time if that fails, so that
 * none works when another loop may take the session. Measured by the machine's own time. Safe for
 * use by many threads.
 */
final class ClaimLease implements AutoCloseable {

  /** What it takes to kill the processes that did not end within their grace, twice. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private final Duration length;

  /** For how long after a renewal an agent may work. */
  private final Duration safe;

  private final Lease.Renewal renewal;

  /** Done when the agent has to end, unless another one was put in its place. */
  private volatile CompletableFuture<Void> lapse = new CompletableFuture<>();

  private volatile long renewed;

  /** What ends the agents that work. */
  private final Set<Consumer<String>> agents = ConcurrentHashMap.newKeySet();

  /**
   * @param grace what an agent has at the most to end in
   * @param renew renews it, and says so by {@link #renewed}
   */
  ClaimLease(Duration length, Duration grace, Runnable renew) {
    Duration margin = grace.plus(MARGIN);
    Duration half = length.dividedBy(2);
    this.length = length;
    this.safe = length.minus(margin.compareTo(half) < 0 ? margin : half);
    this.renewal = new Lease.Renewal(length, renew);
  }

  Duration length() {
    return length;
  }

  /**
   * Begins.
   *
   * @param asked when the store was asked for it, in nanoseconds
   */
  void begin(long asked) {
    renewed(asked);
    renewal.start();
  }

  /** Begins again: the store was asked at that time, and has agreed. */
  synchronized void renewed(long asked) {
    renewed = asked;
    long left = safe.toNanos() - (System.nanoTime() - asked);
    CompletableFuture<Void> before = lapse;
    CompletableFuture<Void> next = new CompletableFuture<>();
    lapse = next;
    before.complete(null);
    var unused =
        next.completeOnTimeout(null, Math.max(0, left), TimeUnit.NANOSECONDS)
            .thenRun(() -> lapsed(next));
  }

  /** Returns whether it should have been renewed by now. */
  boolean isDue() {
    return System.nanoTime() - renewed > length.toNanos() / 3;
  }

  /** See {@link RunClaim#guard}. */
  void guard(Consumer<String> end) {
    agents.add(end);
    CompletableFuture<Void> present = lapse;
    if (present.isDone()) {
      lapsed(present);
    }
  }

  /** See {@link RunClaim#unguard}. */
  void unguard(Consumer<String> end) {
    agents.remove(end);
  }

  private void lapsed(CompletableFuture<Void> which) {
    if (which == lapse) {
      String why =
          "the store took no sign of life for "
              + LogText.time(safe)
              + ", so another loop may soon take the session";
      agents.forEach(end -> end.accept(why));
    }
  }

  @Override
  public void close() {
    renewal.close();
    agents.clear();
    lapse.complete(null);
  }
}
