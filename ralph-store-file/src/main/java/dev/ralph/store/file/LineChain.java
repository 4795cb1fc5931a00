package dev.ralph.store.file;

/**
 * Checks the order of lines by their {@code after} fields. Each field contains the checksum of the
 * preceding line. After a line out of order, the check continues with that line. Lines of earlier
 * versions have no such field, and are valid after any line. Not safe for use by several threads.
 */
final class LineChain {

  /** The reasons why an intact line is in a wrong place. */
  enum Fault {
    MISSING("lines are missing before this line, or the line is misplaced", 1),
    OUT_OF_ORDER("a line follows a later line", 0),
    REPEATED("lines are repeated", 0);

    final String description;

    /** The minimum number of lost frames. */
    final int lost;

    Fault(String description, int lost) {
      this.description = description;
      this.lost = lost;
    }
  }

  /**
   * The checksum of the preceding line as stored; {@link LogLine#NO_CHECKSUM} disables the check.
   */
  private long last = LogLine.NO_CHECKSUM;

  private boolean unknown = true;

  /** The checksum of the line before a run of misplaced lines, after which the chain may resume. */
  private long beforeBreak = LogLine.NO_CHECKSUM;

  private boolean inCopies;

  /** Forgets the preceding line. The caller must call {@link #begin} at the new place. */
  void jump() {
    unknown = true;
  }

  boolean isUnknown() {
    return unknown;
  }

  /** Starts after a line with this checksum, or without a check for {@link LogLine#NO_CHECKSUM}. */
  void begin(long checksumBefore) {
    last = checksumBefore;
    unknown = false;
  }

  /** Continues after unreadable bytes, without a check of the next line. */
  void skip() {
    begin(LogLine.NO_CHECKSUM);
  }

  /** Returns true if the last line was a copy, so that the next line may be a copy too. */
  boolean isInCopies() {
    return inCopies;
  }

  /** Ends the current run of copied lines. */
  void leaveCopies() {
    inCopies = false;
  }

  /** Marks the next line as a possible copy, even if its checksum matches. */
  void doubt() {
    inCopies = true;
  }

  /**
   * Returns true if the preceding line has no valid checksum, so that the next line is not checked.
   */
  boolean isUnchecked() {
    return last == LogLine.NO_CHECKSUM;
  }

  /**
   * Returns true if a line may follow the preceding line.
   *
   * @param link the checksum in the line's {@code after} field, or {@link LogLine#NO_CHECKSUM}
   */
  boolean isNext(long link, long checksum) {
    return link == last
        || last == LogLine.NO_CHECKSUM
        || link == LogLine.NO_CHECKSUM && checksum != last;
  }

  /** Returns true if a line continues the chain from before a run of misplaced lines. */
  boolean resumes(long link) {
    return link != LogLine.NO_CHECKSUM && link == beforeBreak;
  }

  /** Returns true if a line repeats the preceding line. */
  boolean isDoubled(long checksum) {
    return checksum == last;
  }

  /** Accepts a line that follows the preceding line. */
  void add(long checksum) {
    inCopies = false;
    last = checksum;
  }

  /** Accepts a line that does not follow the preceding line. */
  void addBehindBreak(long checksum) {
    beforeBreak = last;
    add(checksum);
  }

  /** Accepts a copy of a line that is already in the log. */
  void addCopy(long checksum) {
    if (!inCopies) {
      beforeBreak = last;
    }
    inCopies = true;
    last = checksum;
  }

  /** Returns true if a description of damage is about a misplaced line. */
  static boolean isAbout(String description) {
    for (Fault fault : Fault.values()) {
      if (fault.description.equals(description)) {
        return true;
      }
    }
    return false;
  }
}
