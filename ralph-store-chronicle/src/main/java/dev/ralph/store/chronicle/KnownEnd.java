package dev.ralph.store.chronicle;

import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.internal.segment.KnownLog;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the log ends as far as an appender knows, and how it learns that: of what others appended,
 * and of what a killed one left behind the end. Used under the store's lock only.
 */
final class KnownEnd {

  private static final long UNKNOWN = -1;

  private final RollFiles files;
  private final SegmentIndexes indexes;
  private final LogWitness witness;
  private final KnownLog known;

  private long position = UNKNOWN;
  private long frames;

  KnownEnd(RollFiles files, SegmentIndexes indexes, LogWitness witness, KnownLog known) {
    this.files = files;
    this.indexes = indexes;
    this.witness = witness;
    this.known = known;
  }

  /** Returns the position behind the log's last excerpt, negative if it is not known. */
  long position() {
    return position;
  }

  boolean isKnown() {
    return position >= 0;
  }

  /** Returns how many frames the log has. */
  long frames() {
    return frames;
  }

  /** Returns the roll file that the log ends in, 0 if it is empty. */
  int cycle() {
    return SegmentPosition.segment(position);
  }

  /** Returns where the log ends in a roll file, 0 if it does not end in that one. */
  long offsetIn(int cycle) {
    return cycle == cycle() ? SegmentPosition.offset(position) : 0;
  }

  /** Leaves what is known aside, because it may be known in part. */
  void forget() {
    position = UNKNOWN;
  }

  /**
   * Finds the end of the log.
   *
   * @param readAll whether what others appended must be read; else its last excerpt will do
   */
  void catchUp(boolean readAll) {
    if (!readAll && isKnown() && files.end().highest() == position) {
      witness.checkNotices(); // and the roll file itself once it is written
      return;
    }
    witness.check();
    long reached = files.end().position();
    if (!isKnown() || reached < position) {
      indexes.forget();
      begin(reached);
    } else if (reached > position && (readAll || !passOverOthers(reached))) {
      readOthers(reached);
    }
  }

  /**
   * Goes to the end of what others appended. What a later append needs to know of it is looked up.
   *
   * @return false if its last excerpt can't be read
   */
  private boolean passOverOthers(long reached) {
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
          reader.jump(cycle, 0); // the last excerpt is damaged: the one before it will do
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
   * Takes excerpts into the log that stand behind its end as a whole: an appender was killed right
   * behind writing them, or Chronicle failed there.
   *
   * @return their frames; there may be more in the next roll file
   */
  List<ChronicleFrame> adopt() {
    int cycle = cycle();
    List<ChronicleFrame> adopted = List.of();
    for (int next = cycle == 0 ? files.after(0) : cycle;
        next != 0 && adopted.isEmpty();
        next = files.after(next)) {
      try (ExcerptReader reader = ExcerptReader.beyondTheEnd(files, next, offsetIn(next))) {
        adopted = take(reader);
        if (!adopted.isEmpty()) {
          advance(reader.position(), reader.frames());
        }
      }
    }
    return adopted;
  }

  /** Returns whether something stands behind the log that must make way for the next append. */
  boolean isFollowedByRest() {
    int cycle = files.newestFile();
    long from = offsetIn(cycle);
    try (ExcerptReader reader = ExcerptReader.beyondTheEnd(files, cycle, from)) {
      return cycle > 0 && reader.endOfBytes() > from;
    }
  }

  /** Lets the log end there, for everyone. */
  void advance(long behind, long framesUpToThere) {
    position = behind;
    frames = framesUpToThere;
    files.end().set(behind, framesUpToThere);
  }

  /** Lets the log end behind bytes of its last roll file that can't be read. */
  void advanceBeyondDamage(long offset) {
    advance(SegmentPosition.of(cycle(), offset), frames);
    known.sawDamage(position);
  }
}
