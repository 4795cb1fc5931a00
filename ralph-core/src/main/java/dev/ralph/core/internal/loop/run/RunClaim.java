package dev.ralph.core.internal.loop.run;

import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A loop's exclusive claim on its session. A frame in the log ends the claim; within this process
 * it may also end without a frame. A claim with a lease has to be renewed, and may be lost to a
 * loop on another machine.
 */
public final class RunClaim {

  private static final System.Logger LOG = System.getLogger(RunClaim.class.getPackageName());

  private final LedgerControl control;
  private final ProcessIdentity process;
  private final Cancellation cancellation;
  private final @Nullable ClaimLease lease;

  /** Null before the first attempt to claim the session, and after its release. */
  private volatile @Nullable RunToken token;

  /** Whether this loop holds or has held the session. */
  private volatile boolean taken;

  private boolean mayFollowKilledRun;

  /** Set before the end is written. */
  private volatile boolean over;

  /** A description of the present holder; null if the claim was not lost. */
  private volatile @Nullable String lost;

  /**
   * @param lease the duration of the claim without renewal; null if it lasts as long as the process
   * @param grace the longest time that an agent has to exit
   * @param cancellation requested when the claim is lost
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
   * Claims the session, unless it is claimed.
   *
   * @param next the number of the first iteration
   * @param maxIterations the iteration limit, 0 for no limit
   * @param agents the number of concurrent agents
   * @throws dev.ralph.log.RalphException CONTENDED if another loop works on the session
   */
  public void take(int next, int maxIterations, int agents) {
    if (taken) {
      return;
    }
    RunToken mine = token == null ? RunToken.take() : token;
    token = mine;
    long asked = System.nanoTime();
    mayFollowKilledRun =
        control.startLoop(
            process, mine, next, maxIterations, agents, lease == null ? null : lease.length());
    taken = true;
    if (lease != null) {
      lease.begin(asked);
    }
  }

  /**
   * Returns whether the previous run of the session may have been killed. Such a run may have left
   * processes. A run with a recorded end has ended its processes.
   */
  public boolean mayFollowKilledRun() {
    return mayFollowKilledRun;
  }

  /** Returns whether this loop holds the session, or has held it. */
  public boolean wasTaken() {
    return taken;
  }

  /** Returns the token of the run; null before the claim and after the end. */
  @Nullable RunToken run() {
    return taken && !over ? token : null;
  }

  /** Returns a description of the present holder; null if the claim was not lost. */
  public @Nullable String lost() {
    return lost;
  }

  /**
   * Checks that this loop still holds the session; otherwise cancels the loop.
   *
   * @throws RalphException CONTENDED if the claim is lost
   */
  public void check() {
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
   * Cancels the loop if it no longer holds the session.
   *
   * @param seen the steering of the session as of the last read
   */
  void cancelIfLost(LedgerControl seen) {
    try {
      check(seen);
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "the claim on the session is lost or unreadable", e);
    }
  }

  /** Renews the lease if a renewal is due. Called before an agent begins. */
  public void renewIfDue() {
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
   * Registers an action that ends an agent before the lease may expire. The action runs on a thread
   * that does not wait for a store.
   *
   * @param end receives the reason, until {@link #unguard}
   */
  public void guard(Consumer<String> end) {
    if (lease != null) {
      lease.guard(end);
    }
  }

  /** Removes an action after its agent has ended. */
  public void unguard(Consumer<String> end) {
    if (lease != null) {
      lease.unguard(end);
    }
  }

  /** Writes the end of the loop; no effect if the loop never began, or its end is written. */
  public void end(LoopEnding why) {
    RunToken mine = token;
    over = true;
    // If the start may have been written, the end may have to be written.
    if (mine != null) {
      control.endLoop(mine, why.reason().word(), why.detail());
    }
  }

  /** Releases the session within this process, independent of the log. */
  public void release() {
    RunToken mine = token;
    token = null;
    if (lease != null) {
      lease.close();
    }
    if (mine != null) {
      mine.release();
    }
  }

  /** Releases the session, and records the release if the store accepts it. */
  public void leave(LoopEnding why) {
    try {
      end(why);
    } catch (RuntimeException | Error e) {
      LOG.log(
          Level.DEBUG,
          "can't record the end of a loop with a running agent; the state of this process shows"
              + " the end",
          e);
    } finally {
      release();
    }
  }
}
