package dev.ralph.store.support;

import dev.ralph.Damage;
import dev.ralph.Frame;
import dev.ralph.Position;
import dev.ralph.spi.FrameCursor;
import dev.ralph.spi.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import javax.annotation.Nullable;

/** Reads backward, block by block, each of them forward. */
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
  private int block;
  @Nullable private BlockIndex index;
  private boolean[] wanted = new boolean[0];

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
  @Nullable
  public Frame next() {
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

  /** Reads the stretch before the one read last; returns false when there is none. */
  private boolean readStretch() {
    BlockIndex known = index;
    if (known == null || block == 0) {
      if (next == 0) {
        return false;
      }
      segment = next;
      next = log.before(segment);
      known = indexes.apply(segment);
      index = known;
      wanted = known.wanted(query.filter());
      block = known.blocks();
      read(known.end(), Long.MAX_VALUE);
      return true;
    }
    block--;
    if (wanted[block]) {
      read(known.from(block), known.to(block));
    }
    return SegmentPosition.of(segment, known.to(block)) > query.after().value();
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
