package dev.ralph.core.internal.session;

import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.iteration.IterationFrames;
import dev.ralph.log.Ledger;
import java.time.Clock;

/** The moment whose state a session shows: the present, or a past moment. */
interface SessionMoment extends IterationFrames {

  /** Returns a ledger as of the moment. */
  <R> Ledger<R> of(Ledger<R> ledger);

  /** Returns the clock of the moment. */
  Clock clock();

  /** Returns whether a run without a recorded end is or may be live. */
  boolean isLive(ControlState.Run run);
}
