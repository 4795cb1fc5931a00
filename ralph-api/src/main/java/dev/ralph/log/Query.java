package dev.ralph.log;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Selects frames by topic and position, and sets the direction and the limit of a read. */
public final class Query {

  private final TopicFilter filter;
  private final Position after;
  private final @Nullable Position until;
  private final boolean backward;
  private final long limit;

  private Query(
      TopicFilter filter, Position after, @Nullable Position until, boolean backward, long limit) {
    this.filter = filter;
    this.after = after;
    this.until = until;
    this.backward = backward;
    this.limit = limit;
  }

  /** Returns a query for all frames that the filter selects, oldest first. */
  public static Query of(TopicFilter filter) {
    Objects.requireNonNull(filter, "filter");
    return new Query(filter, Position.START, null, false, Long.MAX_VALUE);
  }

  /**
   * Returns a copy of this query that selects frames after a position (exclusive).
   *
   * @param position a position of the same store. A position beyond the end of the log selects no
   *     frame until the log is longer; such positions exist after a log has lost its end
   */
  public Query after(Position position) {
    Objects.requireNonNull(position, "position");
    return new Query(filter, position, until, backward, limit);
  }

  /** Returns a copy of this query that selects frames up to a position (inclusive). */
  public Query until(Position position) {
    Objects.requireNonNull(position, "position");
    return new Query(filter, after, position, backward, limit);
  }

  /** Returns a copy of this query that returns the newest frame first. */
  public Query backward() {
    return new Query(filter, after, until, true, limit);
  }

  /**
   * Returns a copy of this query that returns at most {@code limit} frames.
   *
   * @throws RalphException INVALID if the limit is negative
   */
  public Query limit(long limit) {
    if (limit < 0) {
      throw RalphException.invalid("a limit must not be negative: " + limit);
    }
    return new Query(filter, after, until, backward, limit);
  }

  /** Returns the filter of topics. */
  public TopicFilter filter() {
    return filter;
  }

  /** Returns the position before the first selected frame (exclusive). */
  public Position after() {
    return after;
  }

  /** Returns the last selected position (inclusive), or null for the end of the log. */
  public @Nullable Position until() {
    return until;
  }

  /** Returns whether the newest frame comes first. */
  public boolean isBackward() {
    return backward;
  }

  /** Returns the largest number of frames to return. */
  public long limit() {
    return limit;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Query)) {
      return false;
    }
    Query that = (Query) other;
    return Objects.equals(filter, that.filter)
        && Objects.equals(after, that.after)
        && Objects.equals(until, that.until)
        && backward == that.backward
        && limit == that.limit;
  }

  @Override
  public int hashCode() {
    return Objects.hash(filter, after, until, backward, limit);
  }

  @Override
  public String toString() {
    return filter
        + " after "
        + after
        + (until == null ? "" : " until " + until)
        + (backward ? ", newest first" : "")
        + (limit == Long.MAX_VALUE ? "" : ", at most " + limit);
  }
}
