package dev.ralph.store.file;

import java.util.Arrays;
import javax.annotation.Nullable;

/**
 * The order of the lines, as their {@code after} fields have it: each names the checksum of the
 * line before. A line that does not follow is told, and the chain goes on behind it. Lines without
 * the field, of earlier versions, follow whatever stands before them. Not safe for use by several
 * threads.
 */
final class Chain {

  /** What can be wrong with the place of a line that is whole. */
  enum Fault {
    MISSING("lines are missing before this one, or it belongs elsewhere", 1),
    OUT_OF_ORDER("a line stands behind a later one", 0),
    REPEATED("lines are repeated", 0);

    final String description;

    /** How many frames are lost at the least. */
    final int lost;

    Fault(String description, int lost) {
      this.description = description;
      this.lost = lost;
    }
  }

  /** The checksum of the line before, as it stands there; or none, which is not checked. */
  private long last = Line.NO_CHECKSUM;

  private boolean unknown = true;

  /** The line before the present break: behind lines that don't belong there, the chain resumes. */
  private long beforeBreak = Line.NO_CHECKSUM;

  private boolean inCopies;

  /** The id last minted at the line before; ids increase along the log. */
  private final byte[] clock = new byte[Line.ID_LENGTH];

  /** Goes to a place whose line before is not known yet: {@link #begin} is to be called. */
  void jump() {
    Arrays.fill(clock, (byte) 0);
    forget();
  }

  /** Goes back a little, to where {@link #begin} is to be called. */
  void forget() {
    unknown = true;
  }

  boolean isUnknown() {
    return unknown;
  }

  /** Begins behind a line of that checksum, or where nothing is to be checked. */
  void begin(long checksumBefore) {
    last = checksumBefore;
    unknown = false;
  }

  /** Goes on behind something that can't be read: the next line is not checked. */
  void skip() {
    begin(Line.NO_CHECKSUM);
  }

  /**
   * Returns whether a line that was written behind one of that checksum, or none, may stand here.
   */
  boolean mayFollow(long link) {
    return link == Line.NO_CHECKSUM || last == Line.NO_CHECKSUM || link == last;
  }

  /** Returns whether a description of damage is one of those of lines in a wrong place. */
  static boolean isAbout(String description) {
    for (Fault fault : Fault.values()) {
      if (fault.description.equals(description)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the lines read last are repeated ones, so that the next may be one too. */
  boolean isInCopies() {
    return inCopies;
  }

  /**
   * Returns what is wrong with a line at this place, or null.
   *
   * @param link the checksum of the line that it was written behind, or none
   * @param clockAt where the id that was minted last stands in the line
   */
  @Nullable
  Fault fault(long link, long checksum, byte[] line, int clockAt) {
    boolean follows = link == Line.NO_CHECKSUM ? checksum != last : link == last;
    if (follows || last == Line.NO_CHECKSUM) {
      return null;
    }
    int end = clockAt + Line.ID_LENGTH;
    if (Arrays.compare(line, clockAt, end, clock, 0, Line.ID_LENGTH) < 0) {
      return Fault.OUT_OF_ORDER;
    }
    return link != Line.NO_CHECKSUM && link == beforeBreak ? null : Fault.MISSING;
  }

  /** Returns whether a line is the one before once more. */
  boolean isDoubled(long checksum) {
    return checksum == last;
  }

  /** Takes in a line that stands in the log already. */
  void copy(long checksum) {
    if (!inCopies) {
      beforeBreak = last;
    }
    inCopies = true;
    last = checksum;
  }

  /**
   * Takes in a line.
   *
   * @param fault what is wrong with its place, or null
   */
  void add(@Nullable Fault fault, long checksum, byte[] line, int clockAt) {
    if (fault != null) {
      beforeBreak = last;
    }
    if (fault != Fault.OUT_OF_ORDER) {
      System.arraycopy(line, clockAt, clock, 0, Line.ID_LENGTH);
    }
    inCopies = false;
    last = checksum;
  }
}
