package dev.ralph.log;

/**
 * A place in the order of one store's log. Positions increase strictly, with gaps, and a frame's
 * number is 1 or more; they mean nothing in any other store, and nothing that leaves the store (a
 * frame, a token, a file of a client) may hold one: use a frame's id there.
 */
public final class Position implements Comparable<Position> {

  /** The place before the first frame. */
  public static final Position START = new Position(0);

  private final long value;

  private Position(long value) {
    this.value = value;
  }

  /** Returns the position that a store knows by this number. For stores. */
  public static Position of(long value) {
    return value == 0 ? START : new Position(value);
  }

  /** Returns the store's own number for this position. For stores. */
  public long value() {
    return value;
  }

  /** Returns whether this position comes later than the other. */
  public boolean isAfter(Position other) {
    return value > other.value;
  }

  @Override
  public int compareTo(Position other) {
    return Long.compare(value, other.value);
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
