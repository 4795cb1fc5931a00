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
 * Whether iterations change anything: the session, commits, files. Counts those that ended well and
 * did not. Where that can't be told, something counts as changed.
 */
final class ProgressWatch {

  private static final System.Logger LOG = System.getLogger(ProgressWatch.class.getPackageName());

  /** How many iterations without a change before the agent is told, and the loop waits. */
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

  /** Up to where the session's work was looked at; null before the first look. */
  private @Nullable Position seen;

  /**
   * @param session as the reading shows it
   * @param files of an agent that works alone
   * @param isWork whether a frame of the session is more than who has what in hand
   * @param maxIdle after how many iterations without a change the loop ends, 0 for never
   * @param maxIterations how many there are at most, 0 for no limit
   */
  ProgressWatch(
      LiveSession session,
      SharedReading reading,
      FileChanges files,
      Predicate<Frame> isWork,
      int maxIdle,
      int maxIterations) {
    this.session = session;
    this.reading = reading;
    this.files = files;
    this.isWork = isWork;
    // To look costs more than a quick agent, and after a single iteration nobody would be told.
    this.maxIdle = maxIterations == 1 && maxIdle > 1 ? 0 : maxIdle;
  }

  /** Looks at what there is before an iteration. */
  void begin() {
    if (maxIdle > 0) {
      takeNewWork();
      files.begin();
    }
  }

  /** Returns whether files have to be looked at. */
  boolean isWatching() {
    return maxIdle > 0;
  }

  /** As {@link #ended(Iteration.Role, Iteration.Status, boolean, BooleanSupplier)}, alone. */
  void ended(Iteration.Role role, Iteration.Status status) {
    ended(role, status, false, files::since);
  }

  /**
   * Looks at what has come, before the loop itself writes anything about the iteration. A review
   * may change nothing, and must not keep a loop going by what it says of one that is stuck.
   *
   * @param isRepeated whether the agent completed a task again that was returned before, which is
   *     no change by itself
   * @param filesChanged whether files have changed; asked only where it matters
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
    // To look at the files takes the longest, so that is left out where it changes nothing.
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
      LOG.log(Level.DEBUG, "whether the agent wrote anything is not known", e);
      return true;
    }
  }

  /** Takes what was seen of the session's work since the last time; returns whether any was. */
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
   * Returns whether the last iteration ended well and changed nothing, and was not the first to do
   * so: then the next one is better not run at once.
   */
  boolean isStuck() {
    return lastWasIdle && idle >= WARNED_AFTER;
  }

  private FrameCursor workBehind(Position position) {
    return reading.read(Query.of(session.workFrames()).after(position));
  }

  /** Returns whether somebody wrote to the session since the last iteration ended. */
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

  /** Returns why the loop ends, or null where it goes on. */
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

  /** Returns what the agent is told in its prompt, or nothing. */
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
