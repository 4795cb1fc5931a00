package dev.ralph.store.chronicle;

import dev.ralph.store.support.SegmentPosition;
import dev.ralph.store.support.SegmentedLog;
import java.io.File;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chronicle's roll files, one for each day on which something was appended: {@code
 * queue/20261121F.cq4}. A segment's number is Chronicle's cycle, the day since 1970.
 */
final class RollFiles implements SegmentedLog {

  private static final String SUFFIX = "F.cq4";
  private static final int DATE_DIGITS = 8;

  private final Path directory;
  private final File folder;
  private final LogEnd end;
  private final Excerpt.Format format;
  private final Map<Integer, Long> finished = new ConcurrentHashMap<>();

  RollFiles(Path directory, LogEnd end, Excerpt.Format format) {
    this.directory = directory;
    this.folder = directory.toFile();
    this.end = end;
    this.format = format;
  }

  Path directory() {
    return directory;
  }

  Excerpt.Format format() {
    return format;
  }

  LogEnd end() {
    return end;
  }

  @Override
  public File file(int cycle) {
    return new File(folder, name(cycle));
  }

  static String name(int cycle) {
    return LocalDate.ofEpochDay(cycle).format(DateTimeFormatter.BASIC_ISO_DATE) + SUFFIX;
  }

  boolean exists(int cycle) {
    return file(cycle).exists();
  }

  @Override
  public int last() {
    return SegmentPosition.segment(end.position());
  }

  /** Returns the newest roll file that is there, whether or not the log is known to reach it. */
  int newestFile() {
    return neighbour(Integer.MAX_VALUE, false);
  }

  @Override
  public int before(int segment) {
    return neighbour(segment, false);
  }

  /** Returns the next roll file behind that one, or 0 if there is none. */
  int after(int segment) {
    return neighbour(segment, true);
  }

  private int neighbour(int segment, boolean later) {
    int found = 0;
    String[] names = folder.list();
    if (names != null) {
      for (String name : names) {
        int cycle = cycle(name);
        if (later && cycle > segment && (found == 0 || cycle < found)
            || !later && cycle < segment && cycle > found) {
          found = cycle;
        }
      }
    }
    return found;
  }

  /** Returns the cycle of a roll file, or 0 for any other name. */
  private static int cycle(String name) {
    if (name.length() != DATE_DIGITS + SUFFIX.length() || !name.endsWith(SUFFIX)) {
      return 0;
    }
    try {
      return (int)
          LocalDate.parse(name.substring(0, DATE_DIGITS), DateTimeFormatter.BASIC_ISO_DATE)
              .toEpochDay();
    } catch (java.time.DateTimeException e) {
      return 0;
    }
  }

  /**
   * Returns where a roll file's last excerpt ends. For a finished one, the next file's first
   * excerpt tells.
   */
  @Override
  public long length(int segment) {
    long position = end.position();
    if (segment >= SegmentPosition.segment(position)) {
      return segment == SegmentPosition.segment(position) ? SegmentPosition.offset(position) : 0;
    }
    Long known = finished.get(segment);
    if (known == null) {
      known = ExcerptReader.endOf(this, segment);
      finished.put(segment, known);
    }
    return known;
  }
}
