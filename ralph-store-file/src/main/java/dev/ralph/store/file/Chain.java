package dev.ralph.store.file;

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

  /** Goes to a place where {@link #begin} is to be called. */
  void jump() {
    unknown = true;
  }

  boolean isUnknown() {
    return unknown;
  }

  /** Begins behind a line of that checksum, or of none, behind which nothing is checked. */
  void begin(long checksumBefore) {
    last = checksumBefore;
    unknown = false;
  }

  /** Goes on behind something that can't be read: the next line is not checked. */
  void skip() {
    begin(Line.NO_CHECKSUM);
  }

  /** Returns whether what was read last is a copy, so that the next line may be one too. */
  boolean isInCopies() {
    return inCopies;
  }

  /** Goes to a place where something else may stand than copies. */
  void leaveCopies() {
    inCopies = false;
  }

  /** Has the next line looked at as if it might be a copy, though it follows. */
  void doubt() {
    inCopies = true;
  }

  /** Returns whether the line before can't tell whether the next one follows it. */
  boolean isUnchecked() {
    return last == Line.NO_CHECKSUM;
  }

  /**
   * Returns whether a line may stand at this place.
   *
   * @param link the checksum of the line that it was written behind, or none
   */
  boolean isNext(long link, long checksum) {
    return link == last || last == Line.NO_CHECKSUM || link == Line.NO_CHECKSUM && checksum != last;
  }

  /** Returns whether a line goes on where the chain was before lines that don't belong there. */
  boolean resumes(long link) {
    return link != Line.NO_CHECKSUM && link == beforeBreak;
  }

  /** Returns whether a line is the one before once more. */
  boolean isDoubled(long checksum) {
    return checksum == last;
  }

  /** Takes in a line that follows the one before. */
  void add(long checksum) {
    inCopies = false;
    last = checksum;
  }

  /** Takes in a line that does not. */
  void addBehindBreak(long checksum) {
    beforeBreak = last;
    add(checksum);
  }

  /** Takes in a line that stands in the log already. */
  void addCopy(long checksum) {
    if (!inCopies) {
      beforeBreak = last;
    }
    inCopies = true;
    last = checksum;
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
}
