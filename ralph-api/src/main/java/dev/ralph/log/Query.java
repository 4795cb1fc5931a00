package dev.ralph.log;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which frames to read, from where, in which direction, and how many. */
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

  /** Returns the query for every frame that the filter selects, oldest first. */
  public static Query of(TopicFilter filter) {
    Objects.requireNonNull(filter, "filter");
    return new Query(filter, Position.START, null, false, Long.MAX_VALUE);
  }

  /**
   * Returns this query for frames after the position only (exclusive).
   *
   * @param position one that the store gave. One beyond the log's end, as is left when a log loses
   *     its end, is no error: nothing is selected as long as the log does not reach that far
   */
  public Query after(Position position) {
    Objects.requireNonNull(position, "position");
    return new Query(filter, position, until, backward, limit);
  }

  /** Returns this query for frames up to the position only (inclusive). */
  public Query until(Position position) {
    Objects.requireNonNull(position, "position");
    return new Query(filter, after, position, backward, limit);
  }

  /** Returns this query, newest frame first. */
  public Query backward() {
    return new Query(filter, after, until, true, limit);
  }

  /**
   * Returns this query for so many frames at most.
   *
   * @throws RalphException INVALID if the limit is negative
   */
  public Query limit(long limit) {
    if (limit < 0) {
      throw RalphException.invalid("a limit must not be negative: " + limit);
    }
    return new Query(filter, after, until, backward, limit);
  }

  /** Returns which topics are wanted. */
  public TopicFilter filter() {
    return filter;
  }

  /** Returns the position after which frames are wanted (exclusive). */
  public Position after() {
    return after;
  }

  /**
   * Returns the position of the last frame that is wanted (inclusive), or null for the log's end.
   */
  public @Nullable Position until() {
    return until;
  }

  /** Returns whether the newest frame comes first. */
  public boolean isBackward() {
    return backward;
  }

  /** Returns how many frames are wanted at most. */
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
