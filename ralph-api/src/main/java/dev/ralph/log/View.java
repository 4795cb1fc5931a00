package dev.ralph.log;

import java.time.Instant;
import java.util.List;

/**
 * A fold over some topics of one log, kept up to date as it is asked. Safe for use by many threads.
 *
 * @param <R> what the fold shows
 */
public interface View<R> {

  /** Returns the present result, reading only what has been appended since it was last asked. */
  R current();

  /**
   * Returns the result right after that frame was appended. Reads the view's topics from their
   * beginning, or from a snapshot where the store keeps them, up to that frame.
   *
   * @throws NotFoundException if the frame is not one of the store's
   */
  R at(Frame frame);

  /**
   * Returns the result at that time: right after the last of the view's frames that is not later.
   * If hosts with different clocks write the log, or a clock was set back, frames before that last
   * one may have a later time. Costs what {@link #at(Frame)} does, and the reading of what came
   * since.
   */
  R at(Instant time);

  /**
   * Returns how far the log was read, {@link Position#START} before it was first asked. What {@link
   * #current()} shows afterwards contains every frame up to there, and maybe more: so ask for the
   * position first and then for the state. Go on with a {@link Follower} after that position, or
   * append on the {@link Batch.Condition} that nothing has come since.
   */
  Position position();

  /** Returns the damage met while reading; if there is any, the results lack what was lost. */
  List<Damage> damage();
}
