package dev.ralph.core.internal.loop;

import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.domain.ProcessIdentity;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * A loop's claim on its session: while it lasts, no other loop works there. It ends with a frame in
 * the log, and within this process also without one.
 */
final class RunClaim {

  private static final System.Logger LOG = System.getLogger(RunClaim.class.getPackageName());

  private final LedgerControl control;
  private final ProcessIdentity process;

  /** Null before the first try to take the session, and once it was given back. */
  private @Nullable RunToken token;

  private boolean taken;

  RunClaim(LedgerControl control, ProcessIdentity process) {
    this.control = control;
    this.process = process;
  }

  /**
   * Takes the session, unless that was done.
   *
   * @param next the number of the first iteration
   * @param maxIterations how many there are at most, 0 for no limit
   * @throws dev.ralph.log.RalphException CONTENDED if another loop works on the session
   */
  void take(int next, int maxIterations) {
    if (taken) {
      return;
    }
    RunToken mine = token == null ? RunToken.take() : token;
    token = mine;
    control.startLoop(process, mine, next, maxIterations);
    taken = true;
  }

  /** Returns whether the session is known to be this loop's, or was. */
  boolean wasTaken() {
    return taken;
  }

  /** Writes that the loop has ended; nothing happens if it never began, or has said so. */
  void end(Ending why) {
    RunToken mine = token;
    // Where nobody knows whether its beginning was written, its end may have to be.
    if (mine != null) {
      control.endLoop(mine, why.reason().word());
    }
  }

  /** Gives the session free within this process, whatever the log says. */
  void release() {
    RunToken mine = token;
    token = null;
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
