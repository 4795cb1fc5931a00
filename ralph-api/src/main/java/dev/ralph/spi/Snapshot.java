package dev.ralph.spi;

import dev.ralph.log.Position;
import dev.ralph.log.TopicFilter;

/**
 * An encoded state and its position in the log.
 *
 * <p>The reader checks that the store still has the frame at the position. If not, the log was cut,
 * and the reader folds from the first frame.
 *
 * @param frameId the id of the last frame of the state
 * @param position the position of that frame
 * @param state the encoded state. The array is not copied, so the caller must not change it
 */
@SuppressWarnings("ArrayRecordComponent") // snapshots are never compared, and a copy takes time
public record Snapshot(String frameId, Position position, byte[] state) {

  /**
   * Identifies the snapshots of a fold.
   *
   * @param fold the fold's name, and a suffix that distinguishes folds of the same name
   * @param version the fold's version
   * @param filter the topics of the fold
   */
  public record Key(String fold, int version, TopicFilter filter) {}
}
