package dev.ralph.log;

import java.time.Instant;

/**
 * One entry of the log, as it was appended: immutable and safe to share between threads.
 *
 * <p>Stores may decode parts of a frame only when they are asked for, so {@link #content()} can
 * read from the store and fail as the store's own methods do.
 *
 * <p>Two frames of a store are equal if they have the same id and position, and both or neither are
 * erased. A frame's {@code toString} leaves out its content, which may be long, or secret.
 */
public interface Frame {

  /** Returns the frame's id: 25 characters of base 36 (SCRU128), unique in the store. */
  String id();

  /** Returns the topic that the frame was appended to. */
  Topic topic();

  /** Returns the frame's place in the store's order. */
  Position position();

  /**
   * Returns when the frame was appended, by the appender's clock, or the time that an imported
   * frame brought; to the millisecond.
   */
  Instant time();

  /** Returns the frame's meta data, empty where it has none. */
  Meta meta();

  /**
   * Returns the frame's text, empty where it has none.
   *
   * @throws DamagedException if the text is lost though the rest of the frame is not
   */
  String content();

  /**
   * Returns whether the frame was {@linkplain FrameLog#erase erased}: its id, topic, time and place
   * are what is left of it. It has neither meta data nor content, and no view shows it to its fold.
   */
  default boolean isErased() {
    return false;
  }
}
