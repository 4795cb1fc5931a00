package dev.ralph.core.internal.loop.run;

import dev.ralph.core.internal.text.LogText;
import dev.ralph.domain.Lease;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The lease of a loop's claim. Renews the lease. If the renewal fails, ends all agents before
 * another loop may take the session. Measured with the machine's own time. Safe for use by many
 * threads.
 */
final class ClaimLease implements AutoCloseable {

  /** The time to kill processes that did not end within their grace, twice. */
  private static final Duration MARGIN = Duration.ofSeconds(2);

  private final Duration length;

  /** The time after a renewal during which an agent may work. */
  private final Duration safe;

  private final Lease.Renewal renewal;

  /** Completed when the agents have to end, unless a renewal has replaced it. */
  private volatile CompletableFuture<Void> lapse = new CompletableFuture<>();

  private volatile long renewed;

  /** The actions that end the working agents. */
  private final Set<Consumer<String>> agents = ConcurrentHashMap.newKeySet();

  /**
   * @param grace the longest time that an agent has to exit
   * @param renew renews the lease, and confirms it with {@link #renewed}
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
   * Starts the lease.
   *
   * @param asked the time of the request to the store, in nanoseconds
   */
  void begin(long asked) {
    renewed(asked);
    renewal.start();
  }

  /** Restarts the lease after a successful renewal. */
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

  /** Returns whether a renewal is due. */
  boolean isDue() {
    return System.nanoTime() - renewed > length.toNanos() / 3;
  }

  /** Registers an action; see {@link RunClaim#guard}. */
  void guard(Consumer<String> end) {
    agents.add(end);
    CompletableFuture<Void> present = lapse;
    if (present.isDone()) {
      lapsed(present);
    }
  }

  /** Removes an action; see {@link RunClaim#unguard}. */
  void unguard(Consumer<String> end) {
    agents.remove(end);
  }

  private void lapsed(CompletableFuture<Void> which) {
    if (which == lapse) {
      String why =
          "the store accepted no heartbeat for "
              + LogText.time(safe)
              + ", so another loop may take over the session soon";
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
