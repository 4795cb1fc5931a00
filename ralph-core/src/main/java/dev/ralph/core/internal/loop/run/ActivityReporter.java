package dev.ralph.core.internal.loop.run;

import dev.ralph.Control.Activity;
import dev.ralph.core.internal.control.RunToken;
import dev.ralph.core.internal.loop.policy.RetryPause;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.text.TextExcerpt;
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
 * Logs the activities of a run, or of an agent of the run, for readers in other processes. An
 * activity of less than a second is not logged. The frames are not synced, and a failure of the
 * store only loses the activity. Safe for use by many threads.
 */
public final class ActivityReporter {

  private static final System.Logger LOG =
      System.getLogger(ActivityReporter.class.getPackageName());

  /**
   * The shortest logged activity. Nobody polls faster, and short loops would mostly write
   * activities.
   */
  private static final Duration LEAST = Duration.ofSeconds(1);

  private static final int LONGEST_TEXT = 500;

  private final LiveSession session;
  private final RunClaim claim;
  private final int agent;

  /** The present activity, which may end before it is worth logging. */
  @GuardedBy("this")
  private @Nullable Activity unsaved;

  @GuardedBy("this")
  private long began;

  /** Whether the log has the present activity. */
  @GuardedBy("this")
  private boolean isRecorded;

  /**
   * @param agent the number of the agent among several, from 1; 0 for the whole run
   */
  ActivityReporter(LiveSession session, RunClaim claim, int agent) {
    this.session = session;
    this.claim = claim;
    this.agent = agent;
  }

  /** Begins an activity of unlimited duration. */
  public void begin(Activity.Kind kind, @Nullable String about, List<String> refs) {
    begin(kind, about, refs, null);
  }

  /** Begins a wait whose reason is also reported to the listeners. */
  public void await(Activity.Kind reason, List<String> refs, @Nullable Duration atMost) {
    await(reason, null, refs, atMost);
  }

  /**
   * Begins a wait, which is logged immediately unless it is shorter than a second.
   *
   * @param atMost the longest duration; null if it depends on a person
   */
  public void await(
      Activity.Kind kind, @Nullable String about, List<String> refs, @Nullable Duration atMost) {
    begin(kind, about, refs, atMost);
    if (atMost == null || atMost.compareTo(LEAST) >= 0) {
      appendUnsaved();
    }
  }

  private synchronized void begin(
      Activity.Kind kind, @Nullable String about, List<String> refs, @Nullable Duration atMost) {
    end();
    Instant now = session.clock().instant();
    unsaved =
        new Activity(
            agent,
            kind,
            now,
            atMost == null ? null : now.plus(RetryPause.bounded(atMost)),
            about == null
                ? null
                : TextExcerpt.cut(LogText.unicode(session.redacted(about)), LONGEST_TEXT),
            refs);
    began = System.nanoTime();
  }

  /** Logs the activity if it has lasted long enough. Called about every second. */
  public synchronized void goesOn() {
    if (unsaved != null && System.nanoTime() - began >= LEAST.toNanos()) {
      appendUnsaved();
    }
  }

  /** Ends the activity. */
  public synchronized void end() {
    unsaved = null;
    RunToken run = claim.run();
    if (isRecorded && run != null) {
      isRecorded = !isKept(session.control().ends(run, agent));
    }
  }

  private synchronized void appendUnsaved() {
    Activity now = unsaved;
    RunToken run = claim.run();
    if (now != null && run != null && isKept(session.control().begins(run, now))) {
      unsaved = null;
      isRecorded = true;
    }
  }

  /** Appends a frame; returns false if the store has refused it. */
  private boolean isKept(Draft draft) {
    try {
      session.iterations().keep(List.of(draft));
    } catch (IndeterminateException e) {
      // The frame may have been appended; a missing frame does no harm.
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't record the activity of the loop now", e);
      return false;
    }
    return true;
  }
}
