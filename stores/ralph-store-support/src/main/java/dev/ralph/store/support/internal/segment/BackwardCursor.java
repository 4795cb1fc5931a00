package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.store.support.BlockIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Returns frames in reverse order. Reads the ranges that the index names from last to first, each
 * of them forward.
 */
final class BackwardCursor implements FrameCursor {

  private final SegmentReader reader;
  private final SegmentedLog log;
  private final IntFunction<BlockIndex> indexes;
  private final Query query;
  private final long until;
  private final Runnable onClose;
  private final List<StoredFrame> stretch = new ArrayList<>();

  private long left;
  private int next;
  private int segment;
  private long[] stretches = {};

  /** The number of elements of {@link #stretches} not yet read; reading begins at the end. */
  private int ahead;

  BackwardCursor(
      SegmentReader reader,
      SegmentedLog log,
      IntFunction<BlockIndex> indexes,
      Query query,
      Runnable onClose) {
    this.reader = reader;
    this.indexes = indexes;
    this.query = query;
    Position limit = query.until();
    this.until = limit == null ? Long.MAX_VALUE : limit.value();
    this.next = log.last();
    this.log = log;
    this.left = query.limit();
    this.onClose = onClose;
  }

  @Override
  public @Nullable Frame next() {
    reader.requireOpen();
    while (left > 0) {
      if (!stretch.isEmpty()) {
        left--;
        return stretch.remove(stretch.size() - 1);
      }
      if (!readStretch()) {
        return null;
      }
    }
    return null;
  }

  /** Reads the range before the last one; returns false if none exists. */
  private boolean readStretch() {
    if (ahead == 0) {
      if (next < Math.max(1, SegmentPosition.segment(query.after().value()))) {
        return false;
      }
      segment = next;
      next = log.before(segment);
      BlockIndex index = indexes.apply(segment);
      stretches = index.stretches(query.filter());
      ahead = stretches.length;
      read(index.end(), Long.MAX_VALUE);
      return true;
    }
    ahead -= 2;
    long to = stretches[ahead + 1];
    read(stretches[ahead], to);
    return SegmentPosition.of(segment, to) > query.after().value();
  }

  private void read(long from, long to) {
    if (SegmentPosition.of(segment, from) >= until) {
      return;
    }
    reader.jump(segment, from);
    reader.stopAt(to);
    StoredFrame frame;
    while ((frame = reader.next()) != null) {
      long position = frame.position().value();
      if (position > query.after().value() && position <= until) {
        stretch.add(frame);
      }
    }
  }

  @Override
  public Position position() {
    return query.after();
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
