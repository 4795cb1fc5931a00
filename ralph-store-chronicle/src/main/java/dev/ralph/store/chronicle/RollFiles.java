package dev.ralph.store.chronicle;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.SegmentedLog;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Chronicle's roll files, one for each day on which something was appended: {@code
 * queue/20261121F.cq4}. A segment's number is Chronicle's cycle, the day since 1970.
 *
 * <p>One that can't be gone on with is set aside: {@code queue/20261121F.cq4.aside}. It is read
 * like the others. But Chronicle, which would mend it in its own way, does not see it any more.
 */
final class RollFiles implements SegmentedLog {

  /** The name of the folder that they are in. */
  static final String QUEUE = "queue";

  /** What a new roll file takes before anything is in it. */
  private static final long NEW_FILE_BYTES = 1024 * 1024;

  private static final String SUFFIX = "F.cq4";
  private static final String ASIDE = ".aside";
  private static final int DATE_DIGITS = 8;

  /** 9999-12-31, behind which a day has no date of eight digits. */
  static final int LAST_DAY = 2_932_896;

  /** How each of Chronicle's roll files goes on behind its first header. */
  private static final byte[] BEGINNING = bytes("\u00b9\u0006header\u00b6\bSCQStore");

  /** What stands before the number by which Chronicle finds its last excerpt again. */
  private static final byte[] LAST = bytes("\u00cdwritePosition");

  private static final int LAST_NAME_AT = 27;
  private static final int LAST_AT = 64;
  private static final int BEGINNING_BYTES = 4096;

  private final StoreFiles files;
  private final Path directory;
  private final File folder;
  private final HashedContentStore contents;
  private final LogEnd end;
  private final BatchExcerpt.Format format;
  private final Map<Integer, Long> finished = new ConcurrentHashMap<>();
  private volatile Named named;

  /** The file asked for last: its name takes longer to make than an append has time. */
  private record Named(int cycle, File file) {}

  RollFiles(StoreFiles files, LogEnd end, BatchExcerpt.Format format) {
    this.files = files;
    this.directory = files.path(QUEUE);
    this.folder = directory.toFile();
    this.contents = new HashedContentStore(files);
    this.end = end;
    this.format = format;
    this.named = new Named(0, new File(folder, name(0)));
  }

  @Override
  public StoreFiles files() {
    return files;
  }

  /** Returns where the contents lie that are too long for these files. */
  HashedContentStore contents() {
    return contents;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  Path directory() {
    return directory;
  }

  BatchExcerpt.Format format() {
    return format;
  }

  LogEnd end() {
    return end;
  }

  @Override
  public File file(int cycle) {
    File file = inUse(cycle);
    return file.exists() || !isAside(cycle) ? file : aside(cycle);
  }

  private File inUse(int cycle) {
    Named last = named;
    if (last.cycle != cycle) {
      last = new Named(cycle, new File(folder, name(cycle)));
      named = last;
    }
    return last.file;
  }

  static String name(int cycle) {
    if (cycle < 0 || cycle > LAST_DAY) {
      return cycle + SUFFIX; // no such day has a file
    }
    return LocalDate.ofEpochDay(cycle).format(DateTimeFormatter.BASIC_ISO_DATE) + SUFFIX;
  }

  boolean exists(int cycle) {
    return inUse(cycle).exists() || isAside(cycle);
  }

  // ---- set aside

  private File aside(int cycle) {
    return new File(folder, name(cycle) + ASIDE);
  }

  /** Returns whether a roll file is kept from Chronicle, and must not grow any more. */
  boolean isAside(int cycle) {
    return aside(cycle).exists();
  }

  /** Keeps a roll file from Chronicle as it is. Under the store's lock. */
  void setAside(int cycle) {
    File file = inUse(cycle);
    if (file.exists()) {
      try {
        files.move(file.toPath(), aside(cycle).toPath());
      } catch (IOException e) {
        throw PrivateFiles.failure("cannot set aside " + file, e);
      }
      System.getLogger(RollFiles.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0} ends or begins with what was never written so; it is left as it is, as {1}",
              file,
              aside(cycle).getName());
    }
  }

  /**
   * Sets those aside that don't begin as Chronicle begins them: it would take them for its own
   * unfinished ones, move them away, and go on with empty ones. Under the store's lock.
   */
  void setAsideWhatChronicleWouldDiscard() {
    String[] names = folder.list();
    if (names != null) {
      for (String name : names) {
        int cycle = cycle(name);
        if (cycle > 0 && name.endsWith(SUFFIX) && !beginsWell(cycle)) {
          setAside(cycle);
        }
      }
    }
  }

  private boolean beginsWell(int cycle) {
    try (RandomAccessFile in = files.openToRead(file(cycle))) {
      byte[] bytes = new byte[BEGINNING_BYTES];
      int length = Math.max(0, in.read(bytes));
      int header = Integer.reverseBytes(BatchExcerpt.intAt(bytes, 0));
      if (header == 0) {
        return Arrays.equals(bytes, new byte[BEGINNING_BYTES]); // not begun yet
      }
      long next = ExcerptReader.behind(0, header);
      return ExcerptReader.isMetaData(header)
          && startsWith(BEGINNING, bytes, 4)
          && startsWith(LAST, bytes, LAST_NAME_AT)
          && next + 4 <= length
          && isTableOrNothing(Integer.reverseBytes(BatchExcerpt.intAt(bytes, (int) next)))
          && isExcerptOrTable(in, Long.reverseBytes(BatchExcerpt.longAt(bytes, LAST_AT)));
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + inUse(cycle), e);
    }
  }

  private static boolean startsWith(byte[] expected, byte[] bytes, int at) {
    return Arrays.equals(bytes, at, at + expected.length, expected, 0, expected.length);
  }

  /**
   * Returns whether Chronicle may look for its end from there on. From anywhere else it may look
   * for a long time, with the store's lock held.
   */
  private static boolean isExcerptOrTable(RandomAccessFile in, long last) throws IOException {
    if (last < 0 || last % 4 != 0 || last > in.length() - 8) {
      return false;
    }
    byte[] bytes = new byte[8];
    in.seek(last);
    in.readFully(bytes);
    return ExcerptReader.isMetaData(Integer.reverseBytes(BatchExcerpt.intAt(bytes, 0)))
        || BatchExcerpt.intAt(bytes, 4) == BatchExcerpt.MAGIC;
  }

  private static boolean isTableOrNothing(int header) {
    return header == 0 || ExcerptReader.isMetaData(header);
  }

  // ---- in order

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
    String date = name.endsWith(ASIDE) ? name.substring(0, name.length() - ASIDE.length()) : name;
    if (date.length() != DATE_DIGITS + SUFFIX.length() || !date.endsWith(SUFFIX)) {
      return 0;
    }
    try {
      return (int)
          LocalDate.parse(date.substring(0, DATE_DIGITS), DateTimeFormatter.BASIC_ISO_DATE)
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

  /**
   * Checks all that Chronicle may open by itself.
   *
   * @throws RalphException IO if something there is a link, or no file
   */
  void requireOwn() {
    String[] names = folder.list();
    try {
      files.checkFolder(directory);
      for (String name : names == null ? new String[0] : names) {
        files.checked(directory.resolve(name));
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot open the queue", e);
    }
  }

  /**
   * Checks that a new roll file can be made that holds so many bytes.
   *
   * @throws RalphException FULL if there is no room; NOT_FOUND if the store was deleted
   */
  void requireRoom(int length) {
    if (!directory.toFile().exists()) {
      throw LogEnd.gone(directory);
    }
    if (!haveRoom(length)) {
      throw RalphException.full(
          "no room left for a new roll file in " + directory + "; make some and try again");
    }
  }

  /** Returns whether there is room on the disk for a new roll file with so many bytes. */
  boolean haveRoom(int length) {
    return directory.toFile().getUsableSpace() >= NEW_FILE_BYTES + length;
  }
}
