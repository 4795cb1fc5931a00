package dev.ralph.core.internal.task;

import dev.ralph.log.Meta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failed attempts of a task since its count was last reset.
 *
 * @param count the number of attempts that failed
 * @param limit the attempt limit of the loop that counted last; 0 if there is none
 * @param refused the reason that the holder of the newest claim was refused to complete the task;
 *     null if no completion was refused, or a later one succeeded
 */
record TaskAttempts(int count, int limit, @Nullable String refused) {

  static final TaskAttempts NONE = new TaskAttempts(0, 0, null);

  /** The frame member that holds the count after the frame. */
  static final String COUNT = "attempt";

  /** The frame member that holds the limit. */
  static final String LIMIT = "limit";

  /** Returns the attempts that a frame with a count states. */
  TaskAttempts stated(Meta meta) {
    return of(
        number(meta, COUNT, count), meta.has(LIMIT) ? number(meta, LIMIT, limit) : limit, null);
  }

  /** Returns the attempts after a refused completion. */
  TaskAttempts refused(@Nullable String reason) {
    return of(count, limit, reason);
  }

  /** Returns whether the limit is reached. */
  boolean isUsedUp() {
    return limit > 0 && count >= limit;
  }

  /**
   * Returns whether the other attempts are the same. The generated {@code equals} of a record loads
   * streams on Java 25, which short commands can't afford.
   */
  boolean isSame(TaskAttempts other) {
    return count == other.count && limit == other.limit && Objects.equals(refused, other.refused);
  }

  static TaskAttempts of(int count, int limit, @Nullable String refused) {
    return count == 0 && limit == 0 && refused == null
        ? NONE
        : new TaskAttempts(count, limit, refused);
  }

  private static int number(Meta meta, String member, int otherwise) {
    long value = meta.integer(member).orElse(otherwise);
    return value < 0 || value > Integer.MAX_VALUE ? otherwise : (int) value;
  }
}
