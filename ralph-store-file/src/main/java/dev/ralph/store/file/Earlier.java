package dev.ralph.store.file;

import dev.ralph.log.TopicFilter;
import dev.ralph.spi.ContentStore;
import dev.ralph.store.support.BlockIndex;
import dev.ralph.store.support.SegmentPosition;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a frame stands earlier in the log too, so that its line is a repeated one.
 * Asked only where a line does not follow the one before it. Repeated lines come in runs, so what
 * stands behind the one found last is looked at first. Keeps no file open. Not safe for use by
 * several threads.
 */
final class Earlier {

  private final Segments segments;
  private final ContentStore contents;
  private final IntFunction<BlockIndex> indexes;
  private @Nullable LogReader reader;

  Earlier(Segments segments, ContentStore contents, IntFunction<BlockIndex> indexes) {
    this.segments = segments;
    this.contents = contents;
    this.indexes = indexes;
  }

  /** Returns whether a frame of that id ends at that position or before. */
  boolean holds(String id, long position) {
    LogReader used = reader;
    if (used == null) {
      used = new LogReader(segments, contents, TopicFilter.all(), 0, null);
      reader = used;
    } else {
      FileFrame next = used.next();
      if (next != null && next.id().equals(id) && next.position().value() <= position) {
        return true;
      }
    }
    boolean found = find(used, id, position);
    used.closeFile();
    return found;
  }

  private boolean find(LogReader reader, String id, long position) {
    int segment = SegmentPosition.segment(position);
    boolean found = false;
    for (; segment >= Segments.FIRST && !found; segment--) {
      if (segments.exists(segment)) {
        BlockIndex index = indexes.apply(segment);
        found = find(reader, segment, index.end(), Long.MAX_VALUE, id, position);
        for (int block = index.blocks() - 1; block >= 0 && !found; block--) {
          if (index.mayHold(block, id)) {
            found = find(reader, segment, index.from(block), index.to(block), id, position);
          }
        }
      }
    }
    return found;
  }

  private static boolean find(
      LogReader reader, int segment, long from, long to, String id, long position) {
    if (SegmentPosition.of(segment, from) >= position) {
      return false;
    }
    reader.jump(segment, from);
    reader.stopAt(to);
    FileFrame frame = reader.next();
    while (frame != null && frame.position().value() <= position && !frame.id().equals(id)) {
      frame = reader.next();
    }
    reader.stopAt(Long.MAX_VALUE);
    return frame != null && frame.position().value() <= position;
  }
}
