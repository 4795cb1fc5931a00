package dev.ralph.core.internal.loop.run;

import dev.ralph.Iteration;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;

/**
 * The session of a run: its state as of the last read, the claim on the session, and the mark of
 * the run's processes. Only for the stepping thread, except the claim, the cancellation and the
 * work on other threads.
 */
public final class LoopSession {

  private static final System.Logger LOG = System.getLogger(LoopSession.class.getPackageName());

  private final LiveSession present;
  private final SharedReading reading;
  private final LiveSession seen;
  private final RunLimits limits;
  private final Cancellation cancellation;
  private final WorkScope work = new WorkScope();
  private final RunClaim claim;
  private final ProcessMark mark;

  public LoopSession(
      LiveSession session, LoopSettings settings, RunLimits limits, Cancellation cancellation) {
    this.limits = limits;
    this.cancellation = cancellation;
    this.claim =
        new RunClaim(
            session.control(),
            ProcessIdentity.current(),
            settings.lease(),
            settings.grace(),
            cancellation);
    this.present = session.fenced(claim::check);
    this.reading = present.reading();
    this.seen = present.seen(reading);
    this.mark = ProcessMark.ofLoops(present.log().store().info(), present.name());
  }

  /** Returns the session of the host and its agents; writes fail after the claim is lost. */
  public LiveSession present() {
    return present;
  }

  /** Returns the session as of the last read; reading it needs no call to the store. */
  public LiveSession seen() {
    return seen;
  }

  public SharedReading reading() {
    return reading;
  }

  public RunLimits limits() {
    return limits;
  }

  public LoopClock time() {
    return limits.time();
  }

  public Cancellation cancellation() {
    return cancellation;
  }

  public WorkScope work() {
    return work;
  }

  public RunClaim claim() {
    return claim;
  }

  public ProcessMark mark() {
    return mark;
  }

  /** Reads the new frames of the session, and applies raised limits. */
  public void readNewFrames() {
    reading.readNewFrames();
    raise();
  }

  /** Reads the new frames while an agent works. A failure must not affect the agent. */
  public void glance(ConversationEvents conversation) {
    conversation.readAndReport();
    checkClaim();
    try {
      raise();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't read whether a limit was raised", e);
    }
  }

  private void raise() {
    limits.raise(seen.control().steering());
  }

  /** Cancels the run if the session was lost, as of the last read. */
  public void checkClaim() {
    claim.cancelIfLost(seen.control());
  }

  /** Returns the number of the session's next iteration. */
  public int nextIteration() {
    return seen.iterations().last().map(Iteration::number).orElse(0) + 1;
  }

  /** Creates the detector of file changes in an agent's folder. */
  public WorkFolder workFolder(Path directory) {
    return new WorkFolder(directory, present.log().store().info());
  }
}
