package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A loop's claim on its session: while it lasts, no other loop works there. It ends with a frame in
 * the log, and within this process also without one. One with a lease has to be renewed, and may be
 * lost to a loop on another machine.
 */
final class RunClaim {

  private static final System.Logger LOG = System.getLogger(RunClaim.class.getPackageName());

  private final LedgerControl control;
  private final ProcessIdentity process;
  private final Cancellation cancellation;
  private final @Nullable ClaimLease lease;

  /** Null before the first try to take the session, and once it was given back. */
  private volatile @Nullable RunToken token;

  /** Whether the session is known to be this loop's, or was. */
  private volatile boolean taken;

  /** From before the end is written. */
  private volatile boolean over;

  /** Whose the session is instead, in words; null where it was not lost. */
  private volatile @Nullable String lost;

  /**
   * @param lease how long the claim lasts unless it is renewed; null where it lasts as long as the
   *     process
   * @param grace what an agent has at the most to end in
   * @param cancellation requested once the claim is lost
   */
  RunClaim(
      LedgerControl control,
      ProcessIdentity process,
      @Nullable Duration lease,
      Duration grace,
      Cancellation cancellation) {
    this.control = control;
    this.process = process;
    this.cancellation = cancellation;
    this.lease = lease == null ? null : new ClaimLease(lease, grace, this::renew);
  }

  /**
   * Takes the session, unless that was done.
   *
   * @param next the number of the first iteration
   * @param maxIterations how many there are at most, 0 for no limit
   * @param agents how many work at once
   * @throws dev.ralph.log.RalphException CONTENDED if another loop works on the session
   */
  void take(int next, int maxIterations, int agents) {
    if (taken) {
      return;
    }
    RunToken mine = token == null ? RunToken.take() : token;
    token = mine;
    long asked = System.nanoTime();
    control.startLoop(
        process, mine, next, maxIterations, agents, lease == null ? null : lease.length());
    taken = true;
    if (lease != null) {
      lease.begin(asked);
    }
  }

  /** Returns whether the session is known to be this loop's, or was. */
  boolean wasTaken() {
    return taken;
  }

  /** Returns what the run is known by; null before it has the session, and once that is over. */
  @Nullable RunToken run() {
    return taken && !over ? token : null;
  }

  /** Returns whose the session is instead, in words; null where it was not lost. */
  @Nullable String lost() {
    return lost;
  }

  /**
   * Fails once the session is not this loop's any more, which cancels the loop.
   *
   * @throws RalphException CONTENDED then
   */
  void check() {
    check(control);
  }

  private void check(LedgerControl control) {
    RunToken mine = token;
    if (lost == null && mine != null && taken && !over) {
      String other = control.lostBy(mine);
      if (other != null) {
        lost = other;
        cancellation.request(other);
      }
    }
    String other = lost;
    if (other != null) {
      throw RalphException.contended(other + "; nothing was written");
    }
  }

  /**
   * Looks whether the session is still this loop's, and cancels the loop if not.
   *
   * @param seen what steers the session, as it was seen
   */
  void look(LedgerControl seen) {
    try {
      check(seen);
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "the claim on the session is lost, or can't be looked at", e);
    }
  }

  /** Renews the lease, if it is time: before an agent begins. */
  void renewIfDue() {
    if (lease != null && lease.isDue()) {
      renew();
    }
  }

  private void renew() {
    RunToken mine = token;
    if (lease != null && mine != null && !over) {
      long asked = System.nanoTime();
      if (control.alive(mine)) {
        lease.renewed(asked);
      } else {
        check();
      }
    }
  }

  /**
   * Has an agent ended while the lease may run out, by a thread that waits for no store.
   *
   * @param end what ends it, given why in words, until {@link #unguard}
   */
  void guard(Consumer<String> end) {
    if (lease != null) {
      lease.guard(end);
    }
  }

  /** An agent has ended. */
  void unguard(Consumer<String> end) {
    if (lease != null) {
      lease.unguard(end);
    }
  }

  /** Writes that the loop has ended; nothing happens if it never began, or has said so. */
  void end(Ending why) {
    RunToken mine = token;
    over = true;
    // Where nobody knows whether its beginning was written, its end may have to be.
    if (mine != null) {
      control.endLoop(mine, why.reason().word());
    }
  }

  /** Gives the session free within this process, whatever the log says. */
  void release() {
    RunToken mine = token;
    token = null;
    if (lease != null) {
      lease.close();
    }
    if (mine != null) {
      mine.release();
    }
  }

  /** Gives the session free, and writes so if the store takes it. */
  void leave(Ending why) {
    try {
      end(why);
    } catch (RuntimeException | Error e) {
      LOG.log(
          Level.DEBUG,
          "the end of a loop that left its agent behind could not be written; this process, or its"
              + " end, tells",
          e);
    } finally {
      release();
    }
  }
}
