package dev.ralph.core.internal.loop;

import dev.ralph.Control.Activity;
import dev.ralph.LoopEvent.Waiting.Reason;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.log.Draft;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * What a run, or one of its agents, does besides the agent's work, said in the log for those who
 * look from elsewhere. What takes less than a second is not said; nothing of it is synced, and a
 * store that refuses it costs nothing but that. For any number of threads.
 */
final class Doing {

  private static final System.Logger LOG = System.getLogger(Doing.class.getPackageName());

  /** Nobody looks faster, and a frame each would be most of what a short loop writes. */
  private static final Duration LEAST = Duration.ofSeconds(1);

  private static final int LONGEST_TEXT = 500;

  private final LiveSession session;
  private final RunClaim claim;
  private final int agent;

  /** What is done and may still be over before anybody would look. */
  @GuardedBy("this")
  private @Nullable Activity unsaid;

  @GuardedBy("this")
  private long began;

  /** Whether the log says that something is done. */
  @GuardedBy("this")
  private boolean isSaid;

  /**
   * @param agent which of several, from 1; 0 for the run as a whole
   */
  Doing(LiveSession session, RunClaim claim, int agent) {
    this.session = session;
    this.claim = claim;
    this.agent = agent;
  }

  /** Begins something that may take any time. */
  void begin(Activity.Kind kind, @Nullable String about, List<String> refs) {
    begin(kind, about, refs, null);
  }

  /** Begins to wait for a reason that the listeners are told too; see the other one. */
  void await(Reason reason, List<String> refs, @Nullable Duration atMost) {
    await(Activity.Kind.valueOf(reason.name()), null, refs, atMost);
  }

  /**
   * Begins to wait, which is said at once.
   *
   * @param atMost for how long; null where that depends on a person
   */
  void await(
      Activity.Kind kind, @Nullable String about, List<String> refs, @Nullable Duration atMost) {
    begin(kind, about, refs, atMost);
    if (atMost == null || atMost.compareTo(LEAST) >= 0) {
      say();
    }
  }

  private synchronized void begin(
      Activity.Kind kind, @Nullable String about, List<String> refs, @Nullable Duration atMost) {
    end();
    Instant now = session.clock().instant();
    unsaid =
        new Activity(
            agent,
            kind,
            now,
            atMost == null ? null : now.plus(Pause.bounded(atMost)),
            about == null
                ? null
                : Excerpt.cut(LogText.unicode(session.redacted(about)), LONGEST_TEXT),
            refs);
    began = System.nanoTime();
  }

  /** Says what is done, once it is worth it. Called every second or so meanwhile. */
  synchronized void goesOn() {
    if (unsaid != null && System.nanoTime() - began >= LEAST.toNanos()) {
      say();
    }
  }

  /** Ends it. */
  synchronized void end() {
    unsaid = null;
    RunToken run = claim.run();
    if (isSaid && run != null) {
      isSaid = !isKept(session.control().ends(run, agent));
    }
  }

  private synchronized void say() {
    Activity now = unsaid;
    RunToken run = claim.run();
    if (now != null && run != null && isKept(session.control().begins(run, now))) {
      unsaid = null;
      isSaid = true;
    }
  }

  /** Appends; returns false where the store has refused. */
  private boolean isKept(Draft draft) {
    try {
      session.iterations().keep(List.of(draft));
    } catch (IndeterminateException e) {
      // It stands there, or nobody misses it.
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "what the loop does can't be said in the log now", e);
      return false;
    }
    return true;
  }
}
