package dev.ralph.spi;

import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;

/**
 * A state and the place in the log that it belongs to.
 *
 * <p>The reader checks that the store still holds the frame at that position, and folds from the
 * start if it does not: a snapshot of a log that was cut since must not be used.
 *
 * @param frameId the id of the last frame that the state contains
 * @param position where that frame stands
 * @param state the encoded state; not copied, so it must not change any more
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares snapshots, and a copy takes time
public record Snapshot(String frameId, Position position, byte[] state) {

  /**
   * What a snapshot is of.
   *
   * @param fold the fold's name, and what tells it from others of that name
   * @param version the fold's version
   * @param filter the topics it was folded from
   */
  public record Key(String fold, int version, TopicFilter filter) {}
}
