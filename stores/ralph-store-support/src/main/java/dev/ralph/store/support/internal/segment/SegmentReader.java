package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a segmented log forward, in whole batches of intact frames. Not thread-safe, except {@link
 * #close()}.
 */
public interface SegmentReader extends AutoCloseable {

  /**
   * Checks that the reader is open.
   *
   * @throws dev.ralph.log.RalphException CLOSED after close
   */
  void requireOpen();

  /** Returns the filter of the selected topics. */
  TopicFilter filter();

  /** Returns the position up to which the log has been read. */
  long position();

  /** Returns the number of the current segment. */
  int segment();

  /** Returns the damage found so far. */
  List<Damage> damage();

  /** Returns true if frames of the last batch are still to be returned. */
  boolean hasReady();

  /** Moves to an offset of a segment, which must be the end of a batch or 0. */
  void jump(int toSegment, long offset);

  /**
   * Sets the offset of the current segment at which reading stops, which must be the end of a
   * batch.
   */
  void stopAt(long offset);

  /** Returns the next selected frame, or null at the end of the segment or of the range. */
  @Nullable StoredFrame next();

  /**
   * Moves to the next segment after {@link #next()} has returned null.
   *
   * @return false if there is no further segment yet
   */
  boolean enterNextSegment();

  @Override
  void close();
}
