package dev.ralph.store.chronicle;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.util.ArrayList;
import java.util.List;

/**
 * Tracks the end of the log for an appender. Reads the batches of other processes, and adopts
 * excerpts after the end from a killed appender. Requires the store's lock.
 */
final class EndTracker {

  private static final long UNKNOWN = -1;

  private final RollFiles files;
  private final SegmentIndexes indexes;
  private final LogWitness witness;
  private final KnownLog known;

  private long position = UNKNOWN;
  private long frames;

  EndTracker(RollFiles files, SegmentIndexes indexes, LogWitness witness, KnownLog known) {
    this.files = files;
    this.indexes = indexes;
    this.witness = witness;
    this.known = known;
  }

  /** Returns the position at which the log ends; negative if unknown. */
  long position() {
    return position;
  }

  boolean isKnown() {
    return position >= 0;
  }

  /** Returns the number of frames in the log. */
  long frames() {
    return frames;
  }

  /** Returns the cycle of the last roll file of the log; 0 if the log is empty. */
  int cycle() {
    return SegmentPosition.segment(position);
  }

  /**
   * Returns the offset of the log's end in a roll file; 0 if another roll file contains the end.
   */
  long offsetIn(int cycle) {
    return cycle == cycle() ? SegmentPosition.offset(position) : 0;
  }

  /** Forgets the end, which may be inconsistent after a failure. */
  void forget() {
    position = UNKNOWN;
  }

  /**
   * Finds the end of the log.
   *
   * @param readAll true to read all batches of other processes; false to read only the last batch
   */
  void catchUp(boolean readAll) {
    if (!readAll && isKnown() && files.end().highest() == position) {
      witness.checkNotices(); // the roll file is checked after the write
      return;
    }
    witness.check();
    long reached = files.end().position();
    if (!isKnown() || reached < position) {
      indexes.forget();
      begin(reached);
    } else if (reached > position && (readAll || !skipOthers(reached))) {
      readOthers(reached);
    }
  }

  /**
   * Moves to the end of other processes' batches without reading them. Later appends look up frames
   * of these batches on demand.
   *
   * @return false if the last excerpt can't be read
   */
  private boolean skipOthers(long reached) {
    String minted;
    try (ExcerptReader reader = new ExcerptReader(files, TopicFilter.all(), reached)) {
      minted = reader.clock();
    }
    if (minted.isEmpty()) {
      return false;
    }
    known.sawMinted(minted);
    known.beginAt(reached);
    reached(reached);
    return true;
  }

  private void begin(long reached) {
    forget();
    if (reached > 0) {
      if (!files.exists(SegmentPosition.segment(reached))) {
        throw LogEnd.gone(files.directory());
      }
      String minted = "";
      try (ExcerptReader reader = new ExcerptReader(files, TopicFilter.all(), reached)) {
        minted = reader.clock();
        for (int cycle = files.last(); minted.isEmpty() && cycle > 0; cycle = files.before(cycle)) {
          reader.jump(cycle, 0); // the last excerpt is damaged, so use the one before
          while (reader.next() != null) {
            minted = reader.clock();
          }
        }
      }
      if (!minted.isEmpty()) {
        known.sawMinted(minted);
      }
    }
    known.beginAt(reached);
    reached(reached);
  }

  private void readOthers(long reached) {
    try (ExcerptReader reader = new ExcerptReader(files, TopicFilter.all(), position)) {
      do {
        take(reader);
      } while (reader.enterNextSegment());
    }
    reached(reached);
  }

  private void reached(long reached) {
    position = reached;
    frames = files.end().frames();
  }

  private List<ChronicleFrame> take(ExcerptReader reader) {
    List<ChronicleFrame> taken = new ArrayList<>();
    ChronicleFrame frame;
    while ((frame = reader.next()) != null) {
      known.saw(frame);
      if (!reader.hasReady()) {
        known.sawMinted(reader.clock());
      }
      taken.add(frame);
    }
    if (!reader.damage().isEmpty()) {
      known.sawDamage(reader.position());
    }
    return taken;
  }

  /**
   * Adds complete excerpts after the end of the log to the log. A killed appender or a failure of
   * Chronicle leaves such excerpts.
   *
   * @return the frames of these excerpts; the next roll file may contain more
   */
  List<ChronicleFrame> adopt() {
    int cycle = cycle();
    List<ChronicleFrame> adopted = List.of();
    for (int next = cycle == 0 ? files.after(0) : cycle;
        next != 0 && adopted.isEmpty();
        next = files.after(next)) {
      try (ExcerptReader reader = ExcerptReader.ignoringLogEnd(files, next, offsetIn(next))) {
        adopted = take(reader);
        if (!adopted.isEmpty()) {
          advance(reader.position(), reader.frames());
        }
      }
    }
    return adopted;
  }

  /** Returns whether the newest roll file contains bytes after the end of the log. */
  boolean hasRestAfterEnd() {
    int cycle = files.newestFile();
    long from = offsetIn(cycle);
    try (ExcerptReader reader = ExcerptReader.ignoringLogEnd(files, cycle, from)) {
      return cycle > 0 && reader.endOfBytes() > from;
    }
  }

  /** Sets the end of the log for all processes. */
  void advance(long newPosition, long newFrames) {
    position = newPosition;
    frames = newFrames;
    files.end().set(newPosition, newFrames);
  }

  /** Sets the end of the log after damaged bytes of the last roll file. */
  void advanceBeyondDamage(long offset) {
    advance(SegmentPosition.of(cycle(), offset), frames);
    known.sawDamage(position);
  }
}
