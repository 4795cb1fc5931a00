package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Detects whether iterations change the session, commits or files, and counts successful iterations
 * without changes. An unknown result counts as a change.
 */
final class ProgressWatch {

  private static final System.Logger LOG = System.getLogger(ProgressWatch.class.getPackageName());

  /** The number of iterations without changes before the agent is warned and the loop waits. */
  private static final int WARNED_AFTER = 2;

  private static final String NOTHING =
      "no task, note, message or question of the session, no commit, no file";

  private final LiveSession session;
  private final SharedReading reading;
  private final FileChanges files;
  private final Predicate<Frame> isWork;
  private final int maxIdle;
  private int idle;
  private boolean lastWasIdle;

  /** The position up to which the session's work was read; null before the first look. */
  private @Nullable Position seen;

  /**
   * @param files the files of an agent that works alone
   * @param isWork returns whether a frame of the session is more than a claim
   */
  ProgressWatch(
      LoopSession session, LoopSettings settings, FileChanges files, Predicate<Frame> isWork) {
    this.session = session.seen();
    this.reading = session.reading();
    this.files = files;
    this.isWork = isWork;
    // Looking takes longer than a quick agent, and after a single iteration nobody reads the
    // result.
    int maxIdle = settings.maxIdle();
    this.maxIdle = settings.maxIterations() == 1 && maxIdle > 1 ? 0 : maxIdle;
  }

  /** Reads the state before an iteration. */
  void begin() {
    if (maxIdle > 0) {
      takeNewWork();
      files.begin();
    }
  }

  /** Returns whether file changes have to be detected. */
  boolean isWatching() {
    return maxIdle > 0;
  }

  /**
   * Evaluates an iteration like {@link #ended(Iteration.Role, Iteration.Status, boolean,
   * BooleanSupplier)}, for an agent that works alone.
   */
  void ended(Iteration.Role role, Iteration.Status status) {
    ended(role, status, false, files::since);
  }

  /**
   * Evaluates an iteration before the loop writes about it. A review may change nothing. Its
   * reports about a stuck loop must not count as progress.
   *
   * @param isRepeated whether the agent completed a returned task again; no change by itself
   * @param filesChanged returns whether files have changed; called only if needed
   */
  void ended(
      Iteration.Role role,
      Iteration.Status status,
      boolean isRepeated,
      BooleanSupplier filesChanged) {
    boolean isNew = hasWorkBeenWritten();
    if (maxIdle == 0) {
      return;
    }
    // Detecting file changes takes longest. Therefore the detection is skipped if the result is
    // irrelevant.
    boolean changed = isNew && !isRepeated || filesChanged.getAsBoolean();
    if (role == Iteration.Role.REVIEW) {
      lastWasIdle = false;
      return;
    }
    lastWasIdle = !changed && status == Iteration.Status.SUCCESS;
    if (changed) {
      idle = 0;
    } else if (lastWasIdle) {
      idle++;
    }
  }

  private boolean hasWorkBeenWritten() {
    try {
      reading.look();
      return maxIdle > 0 && takeNewWork();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't read whether the agent wrote frames", e);
      return true;
    }
  }

  /** Reads the session's work since the last call; returns whether any work was found. */
  private boolean takeNewWork() {
    Position from = seen;
    if (from == null) {
      seen = reading.end();
      return true;
    }
    try (FrameCursor cursor = workBehind(from)) {
      boolean any = false;
      for (Frame frame = cursor.next(); frame != null; frame = cursor.next()) {
        any |= isWork.test(frame);
      }
      seen = cursor.position();
      return any;
    }
  }

  /**
   * Returns whether the last iteration succeeded without changes, and not for the first time. The
   * next iteration should then be delayed.
   */
  boolean isStuck() {
    return lastWasIdle && idle >= WARNED_AFTER;
  }

  private FrameCursor workBehind(Position position) {
    return reading.read(Query.of(session.workFrames()).after(position));
  }

  /** Returns whether the session has new work since the last iteration ended. */
  boolean isStirred() {
    Position from = seen;
    if (from == null) {
      return false;
    }
    try (FrameCursor cursor = workBehind(from)) {
      Frame frame = cursor.next();
      while (frame != null && !isWork.test(frame)) {
        frame = cursor.next();
      }
      return frame != null;
    }
  }

  /** Returns the reason why the loop ends, or null if it continues. */
  @Nullable String over() {
    if (maxIdle == 0 || idle < maxIdle) {
      return null;
    }
    int open = session.questions().open().size();
    String unread = session.control().unread();
    return "nothing has changed in "
        + iterations()
        + ": "
        + NOTHING
        + (unread == null ? "" : "; " + unread)
        + (open == 0
            ? ""
            : open == 1
                ? "; 1 question waits for an answer"
                : "; " + open + " questions wait for answers");
  }

  /** Returns the warning for the agent's prompt, or empty. */
  Optional<String> warning() {
    return idle < WARNED_AFTER
        ? Optional.empty()
        : Optional.of(
            "Nothing has changed in the last "
                + iterations()
                + ": "
                + NOTHING
                + ". The loop ends after "
                + maxIdle
                + " such iterations.");
  }

  private String iterations() {
    return idle + (idle == 1 ? " iteration" : " iterations");
  }
}
