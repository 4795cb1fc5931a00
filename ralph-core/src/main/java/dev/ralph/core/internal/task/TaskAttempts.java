package dev.ralph.core.internal.task;

import dev.ralph.log.Meta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The failed attempts of a task since the last reset.
 *
 * @param count the number of failed attempts
 * @param limit the attempt limit of the loop that counted last; 0 for none
 * @param refused the reason for the refusal of the newest claim's completion; null for no refusal,
 *     or after a successful completion
 */
record TaskAttempts(int count, int limit, @Nullable String refused) {

  static final TaskAttempts NONE = new TaskAttempts(0, 0, null);

  /** The frame member for the number of failed attempts. */
  static final String COUNT = "attempt";

  /** The frame member for the attempt limit. */
  static final String LIMIT = "limit";

  /** Returns the attempts stated in a frame with a count. */
  TaskAttempts stated(Meta meta) {
    return of(
        number(meta, COUNT, count), meta.has(LIMIT) ? number(meta, LIMIT, limit) : limit, null);
  }

  /** Returns the attempts with the reason of a refused completion; null removes the reason. */
  TaskAttempts refused(@Nullable String reason) {
    return of(count, limit, reason);
  }

  /** Returns whether the limit is reached. */
  boolean isUsedUp() {
    return limit > 0 && count >= limit;
  }

  /**
   * Returns whether the values are equal. The generated {@code equals} of a record loads streams on
   * Java 25, which is too slow for short commands.
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
