package dev.ralph.spi;

import dev.ralph.log.TopicFilter;
import dev.ralph.log.Position;

/**
 * A state and the place in the log that it belongs to.
 *
 * <p>The reader checks that the store still holds the frame at that position, and folds from the
 * start if it does not: a snapshot of a log that was cut since must not be used.
 */
public final class Snapshot {

  private final String frameId;
  private final Position position;
  private final byte[] state;

  /**
   * Makes a snapshot.
   *
   * @param frameId the last frame that the state contains
   * @param position where that frame stands
   * @param state the encoded state; not copied, so it must not change any more
   */
  public Snapshot(String frameId, Position position, byte[] state) {
    this.frameId = frameId;
    this.position = position;
    this.state = state;
  }

  /** Returns the id of the last frame that the state contains. */
  public String frameId() {
    return frameId;
  }

  /** Returns where that frame stands. */
  public Position position() {
    return position;
  }

  /** Returns the encoded state; it must not be changed. */
  public byte[] state() {
    return state;
  }

  /**
   * What a snapshot is of.
   *
   * @param fold the fold's name, and what tells it from others of that name
   * @param version the fold's version
   * @param filter the topics it was folded from
   */
  public record Key(String fold, int version, TopicFilter filter) {}
}
