package dev.ralph.core.internal.loop.agent;

import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Detects changes of the session and of files by an iteration. An unknown result counts as a
 * change. Used only by the thread that steps.
 */
public final class WorkDetector {

  private static final System.Logger LOG = System.getLogger(WorkDetector.class.getPackageName());

  private final LoopSession session;
  private final FileChanges files;
  private final Predicate<Frame> isWork;
  private final boolean isWatching;

  /** The position up to which the session's work was read; null before the first read. */
  private @Nullable Position seen;

  /**
   * @param files the files of an agent that works alone
   * @param isWork returns whether a frame of the session is more than a claim
   * @param isWatching whether changes are detected at all
   */
  public WorkDetector(
      LoopSession session, FileChanges files, Predicate<Frame> isWork, boolean isWatching) {
    this.session = session;
    this.files = files;
    this.isWork = isWork;
    this.isWatching = isWatching;
  }

  /** Reads the state before an iteration. */
  public void begin() {
    if (isWatching) {
      takeNewWork();
      files.begin();
    }
  }

  public boolean isWatching() {
    return isWatching;
  }

  /** Returns whether an iteration of a lone agent changed anything, like {@link #hasChanged}. */
  public boolean hasChanged() {
    return hasChanged(false, files::since);
  }

  /**
   * Returns whether an iteration changed anything. Reads the new frames in any case. Call before
   * the loop writes about the iteration.
   *
   * @param isRepeated whether the agent completed a returned task again; no change by itself
   * @param filesChanged returns whether files have changed; called only if needed
   */
  public boolean hasChanged(boolean isRepeated, BooleanSupplier filesChanged) {
    boolean isNew = hasWorkBeenWritten();
    // Detecting file changes takes longest. Therefore the detection is skipped if it is irrelevant.
    return isWatching && (isNew && !isRepeated || filesChanged.getAsBoolean());
  }

  private boolean hasWorkBeenWritten() {
    try {
      session.reading().readNewFrames();
      return isWatching && takeNewWork();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "can't read whether the agent wrote frames", e);
      return true;
    }
  }

  /** Reads the session's work since the last call; returns whether any work was found. */
  private boolean takeNewWork() {
    Position from = seen;
    if (from == null) {
      seen = session.reading().end();
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

  /** Returns whether the session has new work since the last iteration ended. */
  boolean hasNewWork() {
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

  private FrameCursor workBehind(Position position) {
    return session.reading().read(Query.of(session.seen().workFrames()).after(position));
  }
}
