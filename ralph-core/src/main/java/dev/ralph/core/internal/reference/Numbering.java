package dev.ralph.core.internal.reference;

import dev.ralph.log.Frame;
import java.util.OptionalLong;

/**
 * Numbers things in the order of their frames, from 1, strictly increasing: a frame's own {@code n}
 * counts if it is higher than all before, else the thing gets the next one, as do things written by
 * programs that know no numbers. So a number never changes and never stands for two things.
 */
public final class Numbering {

  /** Far above any real number; a frame that claims more would use up the range. */
  private static final int HIGHEST_ACCEPTED = 1_000_000_000;

  private int highest;

  /** Goes on after that number; 0 begins at 1. */
  public Numbering(int highest) {
    this.highest = highest;
  }

  /** Returns the number of the thing that the frame adds. */
  public int take(Frame frame) {
    OptionalLong own = frame.meta().integer("n");
    if (own.isPresent() && own.getAsLong() > highest && own.getAsLong() <= HIGHEST_ACCEPTED) {
      highest = (int) own.getAsLong();
    } else {
      highest++;
    }
    return highest;
  }

  /** Returns the highest number given so far, 0 if there is none. */
  public int highest() {
    return highest;
  }
}
