package dev.ralph.log;

import java.util.Objects;

/**
 * A place in the order of one store's log. Positions increase strictly, with gaps; the number of a
 * frame's position is at least 1. A position has no meaning in another store. Data outside the
 * store, such as frames, tokens and files of clients, must refer to a frame by its id instead.
 */
public final class Position implements Comparable<Position> {

  /** The position before the first frame. */
  public static final Position START = new Position(0);

  private final long value;

  private Position(long value) {
    this.value = value;
  }

  /** Returns the position with a number. For stores. */
  public static Position of(long value) {
    return value == 0 ? START : new Position(value);
  }

  /** Returns the number of this position. For stores. */
  public long value() {
    return value;
  }

  /** Returns whether this position is after the other position. */
  public boolean isAfter(Position other) {
    return value > Objects.requireNonNull(other, "other").value;
  }

  @Override
  public int compareTo(Position other) {
    return Long.compare(value, Objects.requireNonNull(other, "other").value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Position && ((Position) other).value == value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }

  @Override
  public String toString() {
    return "position " + value;
  }
}
