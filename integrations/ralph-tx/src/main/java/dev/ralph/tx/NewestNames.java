package dev.ralph.tx;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over file names by their stamps, newest first. A stamp has no year, and stands for the
 * latest possible time. A folder has many names and callers need few, so the rest is sorted only on
 * demand.
 */
final class NewestNames {

  /** The number of newest names to sort first; a person rarely reads more. */
  private static final int FIRST = 128;

  private static final int DIGITS = 10;
  private static final long YEAR = 10_000_000_000L;
  private static final int LAST_YEAR = 9999;

  private static final int NO_NUMBER = 100;

  /**
   * A name and its stamp.
   *
   * @param stamp year, month, day, hour, minute and second in UTC, as one decimal number
   */
  record Stamped(String name, long stamp) implements Comparable<Stamped> {

    @Override
    public int compareTo(Stamped other) {
      int order = Long.compare(stamp, other.stamp);
      return order == 0 ? name.compareTo(other.name) : order;
    }

    Instant time() {
      return LocalDateTime.of((int) (stamp / YEAR), part(100_000_000), 1, part(10_000), part(100))
          .plusDays(part(1_000_000) - 1L) // most years have no February 29
          .plusSeconds(part(1))
          .toInstant(ZoneOffset.UTC);
    }

    private int part(long unit) {
      return (int) (stamp / unit % 100);
    }
  }

  private final String[] names;
  private final long latest;
  private final Function<String, Instant> changed;
  private final Deque<Stamped> ready = new ArrayDeque<>();
  private long least;
  private @Nullable Stamped last;
  private int left;

  /**
   * Creates the iteration.
   *
   * @param names file names; names that can't be messages are skipped
   * @param latest the latest time that a stamp can stand for
   * @param changed returns the modification time of a file whose name has no stamp
   */
  NewestNames(String[] names, Instant latest, Function<String, Instant> changed) {
    this.names = names;
    this.latest = decimal(latest);
    this.changed = changed;
  }

  /** Returns the number of remaining names, after the first call of {@link #next()}. */
  int left() {
    return left;
  }

  /** Returns the newest remaining name, or null at the end. */
  @Nullable Stamped next() {
    if (last == null) {
      ready.addAll(first());
    } else if (ready.isEmpty() && left > 0) {
      ready.addAll(rest(last));
    }
    Stamped next = ready.poll();
    left = next == null ? 0 : left - 1;
    last = next == null ? last : next;
    return next;
  }

  private List<Stamped> first() {
    PriorityQueue<Stamped> newest = new PriorityQueue<>(FIRST + 1);
    for (String name : names) {
      consider(name, newest);
    }
    return newestFirst(new ArrayList<>(newest));
  }

  /**
   * Adds a name to the newest names if it belongs to them. A separate method, because the JIT
   * compiler compiles a method early, but not the loop of a short command.
   */
  private void consider(String name, PriorityQueue<Stamped> newest) {
    if (!TxFolder.isMessage(name)) {
      return;
    }
    left++;
    long stamp = stamp(name);
    if (stamp >= least) {
      newest.add(new Stamped(name, stamp));
      if (newest.size() > FIRST) {
        newest.remove();
        least = newest.element().stamp;
      }
    }
  }

  private List<Stamped> rest(Stamped before) {
    List<Stamped> rest = new ArrayList<>(left);
    for (String name : names) {
      if (TxFolder.isMessage(name)) {
        Stamped each = new Stamped(name, stamp(name));
        if (each.compareTo(before) < 0) {
          rest.add(each);
        }
      }
    }
    return newestFirst(rest);
  }

  private static List<Stamped> newestFirst(List<Stamped> stamped) {
    stamped.sort(Comparator.reverseOrder());
    return stamped;
  }

  private long stamp(String name) {
    long stamp = named(name);
    if (stamp < 0) {
      return decimal(changed.apply(name));
    }
    long year = latest / YEAR;
    return (stamp <= latest % YEAR ? year : year - 1) * YEAR + stamp;
  }

  /** Returns the stamp at the beginning of a name, or -1 if none exists. */
  private static long named(String name) {
    if (name.length() <= DIGITS || name.charAt(DIGITS) != '-') {
      return -1;
    }
    int month = part(name, 0);
    int day = part(name, 2);
    int hour = part(name, 4);
    int minute = part(name, 6);
    int second = part(name, 8);
    if (month == 0
        || month > 12
        || day == 0
        || day > 31
        || hour > 23
        || minute > 59
        || second > 60) {
      return -1;
    }
    return (((month * 100L + day) * 100 + hour) * 100 + minute) * 100 + second;
  }

  /** Returns the value of two digits, or a large number if they are not digits. */
  private static int part(String name, int at) {
    int tens = name.charAt(at) - '0';
    int ones = name.charAt(at + 1) - '0';
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? NO_NUMBER : 10 * tens + ones;
  }

  private static long decimal(Instant time) {
    LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
    long decimal = Math.max(1, Math.min(utc.getYear(), LAST_YEAR));
    for (int part :
        new int[] {
          utc.getMonthValue(), utc.getDayOfMonth(), utc.getHour(), utc.getMinute(), utc.getSecond()
        }) {
      decimal = decimal * 100 + part;
    }
    return decimal;
  }
}
