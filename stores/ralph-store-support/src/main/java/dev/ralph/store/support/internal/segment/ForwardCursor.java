package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.BlockIndex;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Returns frames in log order. Skips ranges without a selected topic by the index. */
final class ForwardCursor implements FrameCursor {

  /** Reading a smaller range takes less time than loading its index. */
  private static final long SHORT_RANGE_BYTES = 2L * SegmentedLog.BLOCK_BYTES;

  private final SegmentReader reader;
  private final LogWitness witness;
  private final IntFunction<BlockIndex> indexes;
  private final long until;
  private final boolean selective;
  private final Runnable onClose;

  private long left;
  private long returned;
  private boolean planned;

  /** Whether the reader was at the segment's end at the last check. */
  private boolean isAtEnd;

  private long stop = Long.MAX_VALUE;
  private @Nullable BlockIndex index;
  private int indexSegment;
  private long[] stretches = {};
  private int stretch;

  ForwardCursor(
      SegmentReader reader,
      LogWitness witness,
      IntFunction<BlockIndex> indexes,
      Query query,
      Runnable onClose) {
    this.reader = reader;
    this.witness = witness;
    this.indexes = indexes;
    Position limit = query.until();
    this.until = limit == null ? Long.MAX_VALUE : Math.max(limit.value(), query.after().value());
    this.selective = !query.filter().equals(TopicFilter.all());
    this.left = query.limit();
    this.returned = query.after().value();
    this.onClose = onClose;
  }

  @Override
  public @Nullable Frame next() {
    reader.requireOpen();
    while (left > 0) {
      if (!planned && !reader.hasReady()) {
        plan(); // only after all frames of a batch in whose middle the query begins
      }
      StoredFrame frame = isAtEnd ? null : reader.next();
      if (frame != null) {
        if (frame.position().value() > until) {
          returned = until;
          left = 0;
          return null;
        }
        left--;
        returned = frame.position().value();
        return frame;
      }
      planned = false;
      long position = reader.position();
      if (position >= until
          || SegmentPosition.offset(position) < stop && !reader.enterNextSegment()) {
        return null;
      }
    }
    return null;
  }

  /** Moves to the next range of the segment that may contain a selected frame, if any. */
  private void plan() {
    planned = true;
    isAtEnd = false;
    stop = Long.MAX_VALUE;
    reader.stopAt(stop);
    int segment = reader.segment();
    long offset = SegmentPosition.offset(reader.position());
    if (index == null || index.end() <= offset || indexSegment != segment) {
      long length = witness.length(segment);
      isAtEnd = length == offset;
      if (!selective || length - offset <= SHORT_RANGE_BYTES) {
        return;
      }
      index = indexes.apply(segment);
      indexSegment = segment;
      stretches = index.stretches(reader.filter());
      stretch = 0;
    }
    while (stretch < stretches.length && stretches[stretch + 1] <= offset) {
      stretch += 2;
    }
    if (stretch == stretches.length) {
      if (index.end() > offset) {
        reader.jump(segment, index.end());
      }
      return;
    }
    if (stretches[stretch] > offset) {
      reader.jump(segment, stretches[stretch]);
    }
    stop = stretches[stretch + 1];
    for (int i = stretch + 2; i < stretches.length && stretches[i] == stop; i += 2) {
      stop = stretches[i + 1];
    }
    reader.stopAt(stop);
  }

  @Override
  public Position position() {
    boolean more = left == 0 || reader.hasReady();
    return Position.of(more ? returned : Math.min(until, reader.position()));
  }

  @Override
  public List<Damage> damage() {
    return List.copyOf(reader.damage());
  }

  @Override
  public void close() {
    reader.close();
    onClose.run();
  }
}
