package dev.ralph.log;

import java.util.List;

/** The result of an append: the new frames of the log, or a conflict. */
public final class Appended {

  private static final Appended CONFLICT = new Appended(false, List.of(), Position.START);

  private final boolean done;
  private final List<Frame> frames;
  private final Position position;

  private Appended(boolean done, List<Frame> frames, Position position) {
    this.done = done;
    this.frames = frames;
    this.position = position;
  }

  /**
   * Returns the result of a successful append.
   *
   * @param frames the new frames in order; imported frames that the store already held are left out
   * @param position the position of the last new frame, or the end of the log if there is no new
   *     frame
   */
  public static Appended of(List<Frame> frames, Position position) {
    return new Appended(true, List.copyOf(frames), position);
  }

  /** Returns the result of an append whose condition failed. Nothing was written. */
  public static Appended conflict() {
    return CONFLICT;
  }

  /** Returns whether the condition failed, so that nothing was written. */
  public boolean isConflict() {
    return !done;
  }

  /** Returns the new frames in order; empty after a conflict. */
  public List<Frame> frames() {
    return frames;
  }

  /** Returns the position of the last new frame; {@link Position#START} after a conflict. */
  public Position position() {
    return position;
  }
}
