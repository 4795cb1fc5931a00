package dev.ralph.log;

import java.time.Instant;
import java.util.List;

/**
 * A fold over topics of one log, updated on each call. Safe for use by many threads.
 *
 * @param <R> the result of the fold
 */
public interface View<R> {

  /** Returns the present result. Reads only the frames appended since the last call. */
  R current();

  /**
   * Returns the result right after a frame was appended. Reads the view's topics up to the frame,
   * from a snapshot if the store has one, otherwise from the beginning.
   *
   * @throws NotFoundException if the store does not have the frame
   */
  R at(Frame frame);

  /**
   * Returns the result at a time: after the last frame of the view with this time or an earlier
   * time. If hosts with different clocks write the log, or a clock was set back, the result may
   * contain frames with a later time. Costs as much as {@link #at(Frame)}, and reads the frames
   * after the time too.
   */
  R at(Instant time);

  /**
   * Returns the position up to which the log was read; {@link Position#START} before the first call
   * of {@link #current()}. A later {@link #current()} contains every frame up to the position, and
   * maybe more. So get the position first and the state second. Then continue with a {@link
   * Follower} after the position, or use the position in a {@link Batch.Condition}.
   */
  Position position();

  /** Returns the damage found while reading. The results lack the lost frames. */
  List<Damage> damage();
}
