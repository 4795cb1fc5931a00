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
 * Chronicle's roll files, one for each day with appended batches, such as {@code
 * queue/20261121F.cq4}. A segment's number is Chronicle's cycle, the number of days since 1970.
 *
 * <p>A damaged roll file is set aside: renamed to {@code queue/20261121F.cq4.aside}. The store
 * still reads the file, but Chronicle ignores it and does not repair it.
 */
final class RollFiles implements SegmentedLog {

  /** The name of the folder with the roll files. */
  static final String QUEUE = "queue";

  /** The disk space of an empty roll file. */
  private static final long NEW_FILE_BYTES = 1024 * 1024;

  private static final String SUFFIX = "F.cq4";
  private static final String ASIDE = ".aside";
  private static final int DATE_DIGITS = 8;

  /** 9999-12-31, the last day with a date of eight digits. */
  static final int LAST_DAY = 2_932_896;

  /** The bytes after the first header of each roll file of Chronicle. */
  private static final byte[] BEGINNING = bytes("\u00b9\u0006header\u00b6\bSCQStore");

  /** The field name before the offset of Chronicle's last excerpt. */
  private static final byte[] WRITE_POSITION = bytes("\u00cdwritePosition");

  private static final int WRITE_POSITION_NAME_AT = 27;
  private static final int WRITE_POSITION_AT = 64;
  private static final int BEGINNING_BYTES = 4096;

  private final StoreFiles files;
  private final Path directory;
  private final File folder;
  private final HashedContentStore contents;
  private final LogEnd end;
  private final BatchExcerpt.Format format;
  private final Map<Integer, Long> finished = new ConcurrentHashMap<>();
  private volatile Named named;

  /** The last requested file, because formatting its name would slow down appends. */
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

  /** Returns the store of contents that are too long for roll files. */
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
      return cycle + SUFFIX; // a day without a roll file
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

  /** Returns true if a roll file is set aside. No process appends to such a file. */
  boolean isAside(int cycle) {
    return aside(cycle).exists();
  }

  /** Sets a roll file aside; does nothing if the file is missing. Requires the store's lock. */
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
              "{0} has a damaged beginning or end; renamed to {1}, which stays readable",
              file,
              aside(cycle).getName());
    }
  }

  /**
   * Sets aside roll files with a wrong beginning. Chronicle would replace such files by empty ones,
   * because they look unfinished. Requires the store's lock.
   */
  void setAsideInvalidFiles() {
    String[] names = folder.list();
    if (names != null) {
      for (String name : names) {
        int cycle = cycle(name);
        if (cycle > 0 && name.endsWith(SUFFIX) && !hasValidBeginning(cycle)) {
          setAside(cycle);
        }
      }
    }
  }

  private boolean hasValidBeginning(int cycle) {
    try (RandomAccessFile in = files.openToRead(file(cycle))) {
      byte[] bytes = new byte[BEGINNING_BYTES];
      int length = Math.max(0, in.read(bytes));
      int header = Integer.reverseBytes(BatchExcerpt.intAt(bytes, 0));
      if (header == 0) {
        return Arrays.equals(bytes, new byte[BEGINNING_BYTES]); // a new file
      }
      long next = ExcerptReader.nextHeader(0, header);
      return ExcerptReader.isMetaData(header)
          && startsWith(BEGINNING, bytes, 4)
          && startsWith(WRITE_POSITION, bytes, WRITE_POSITION_NAME_AT)
          && next + 4 <= length
          && isTableOrNothing(Integer.reverseBytes(BatchExcerpt.intAt(bytes, (int) next)))
          && isExcerptOrTable(in, Long.reverseBytes(BatchExcerpt.longAt(bytes, WRITE_POSITION_AT)));
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + inUse(cycle), e);
    }
  }

  private static boolean startsWith(byte[] expected, byte[] bytes, int at) {
    return Arrays.equals(bytes, at, at + expected.length, expected, 0, expected.length);
  }

  /**
   * Returns whether Chronicle can search for the end of the file from an offset. From a wrong
   * offset the search may take long under the store's lock.
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

  /** Returns the cycle of the newest roll file, even if the log ends before; 0 for none. */
  int newestFile() {
    return neighbour(Integer.MAX_VALUE, false);
  }

  @Override
  public int before(int segment) {
    return neighbour(segment, false);
  }

  /** Returns the cycle of the next roll file after a cycle; 0 for none. */
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

  /** Returns the cycle in the name of a roll file; 0 if the file is not a roll file. */
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
   * Returns the end of the last excerpt of a roll file. For a finished file, the first excerpt of
   * the next file contains this offset.
   */
  @Override
  public long length(int segment) {
    long position = end.position();
    if (segment >= SegmentPosition.segment(position)) {
      return segment == SegmentPosition.segment(position) ? SegmentPosition.offset(position) : 0;
    }
    Long known = finished.get(segment);
    if (known == null) {
      known = ExcerptReader.lastExcerptEnd(this, segment);
      finished.put(segment, known);
    }
    return known;
  }

  /**
   * Checks all files that Chronicle may open.
   *
   * @throws RalphException IO if an entry of the folder is a link or not a regular file
   */
  void requireRegularFiles() {
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
   * Checks that the disk has space for a new roll file.
   *
   * @param length the size of its first excerpt, in bytes
   * @throws RalphException FULL if the disk has too little space; NOT_FOUND if the store was
   *     deleted
   */
  void requireSpace(int length) {
    if (!directory.toFile().exists()) {
      throw LogEnd.gone(directory);
    }
    if (!hasSpace(length)) {
      throw RalphException.full(
          "no space left for a new roll file in " + directory + "; free disk space and try again");
    }
  }

  /** Returns whether the disk has space for a new roll file with an excerpt of a length. */
  boolean hasSpace(int length) {
    return directory.toFile().getUsableSpace() >= NEW_FILE_BYTES + length;
  }
}
