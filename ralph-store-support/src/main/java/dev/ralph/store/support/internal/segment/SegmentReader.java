package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log in segments forward: whole batches of intact frames, nothing else. For one thread,
 * but for {@link #close()}.
 */
public interface SegmentReader extends AutoCloseable {

  /** Throws CLOSED once it is closed. */
  void requireOpen();

  /** Returns which topics are wanted. */
  TopicFilter filter();

  /** Returns up to where the log has been read. */
  long position();

  /** Returns the segment that is being read. */
  int segment();

  /** Returns the damage met so far. */
  List<Damage> damage();

  /** Returns whether frames of the batch read last are still to be returned. */
  boolean hasReady();

  /** Goes to an offset of a segment, which must be the end of a batch, or 0. */
  void jump(int toSegment, long offset);

  /** Stops at that offset of the present segment, which must be the end of a batch. */
  void stopAt(long offset);

  /**
   * Returns the next wanted frame, or null at the end of what the segment holds, or of what was
   * asked for.
   */
  @Nullable StoredFrame next();

  /**
   * Goes on behind the end of a segment, once {@link #next()} has returned null there.
   *
   * @return whether there may be more to read now
   */
  boolean enterNextSegment();

  @Override
  void close();
}
