package dev.ralph.store.file;

import dev.ralph.log.RalphException;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.HashedContentStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.SegmentSource;
import dev.ralph.store.support.internal.segment.SegmentedLog;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of the log: {@code log/00000001.jsonl} and so on. Each file begins with a header line,
 * which contains the format and the store id. Only the last file grows. A compacted segment is in
 * {@code log/00000001.jsonl.gz} instead, and its offsets are those of its uncompressed bytes; while
 * both files exist, only the uncompressed file counts.
 */
final class Segments implements SegmentedLog {

  static final int FIRST = 1;

  /** The number of digits in a segment's name. */
  static final int DIGITS = 8;

  /** The largest segment number in a position. */
  static final int LAST = 8_388_607;

  /** The name of the folder of the segments. */
  static final String LOG = "log";

  /** The name of the folder of damaged bytes and files. */
  static final String DAMAGED = "damaged";

  private static final String SUFFIX = ".jsonl";
  private static final String PACKED = ".gz";
  private static final int LONGEST_HEADER = 512;
  private static final int LONGEST_TEXT = 1024 * 1024;

  private final StoreFiles files;
  private final Path directory;
  private final File folder;
  private final HashedContentStore contents;
  private final ZeroRanges zeros = new ZeroRanges();
  private volatile int knownLast;

  /** The lengths of compressed segments. */
  private final Map<Integer, PackedLength> packedLengths = new ConcurrentHashMap<>();

  private record PackedLength(long fileBytes, long logBytes) {}

  /** Uses the segments of a store, which need not exist. */
  Segments(StoreFiles files) {
    this.files = files;
    this.directory = files.path(LOG);
    this.folder = directory.toFile();
    this.contents = new HashedContentStore(files);
  }

  Path directory() {
    return directory;
  }

  @Override
  public StoreFiles files() {
    return files;
  }

  /** Returns the store of large contents. */
  HashedContentStore contents() {
    return contents;
  }

  /** Returns the ranges of zeros that readers found. */
  ZeroRanges zeros() {
    return zeros;
  }

  /** Returns the file of the erasure plan, which exists while frames are erased. */
  Path erasing() {
    return files.path(LogWitness.ERASING);
  }

  /** Returns the folder to which damaged bytes and files are moved; need not exist. */
  Path damaged() {
    return files.path(DAMAGED);
  }

  /** Returns the text of the file that every erasure changes before it changes a line. */
  byte[] erasures() throws IOException {
    byte[] text =
        hasErased() ? files.read(files.path(FileSnapshotStore.ERASED), LONGEST_TEXT) : null;
    return text == null ? new byte[0] : text;
  }

  /** Returns true if frames were erased or are being erased. */
  boolean hasErased() {
    return files.path(FileSnapshotStore.ERASED).toFile().exists();
  }

  @Override
  public File file(int segment) {
    return new File(folder, name(segment));
  }

  static String name(int segment) {
    String digits = Integer.toString(segment);
    return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits + SUFFIX;
  }

  boolean exists(int segment) {
    return segment >= FIRST
        && segment <= LAST
        && (file(segment).exists() || packed(segment).exists());
  }

  /** Returns the compressed file of a segment, which need not exist. */
  File packed(int segment) {
    return new File(folder, name(segment) + PACKED);
  }

  @Override
  public SegmentSource open(int segment) throws IOException {
    try {
      return SegmentSource.of(files.openToRead(file(segment)));
    } catch (FileNotFoundException missing) {
      if (file(segment).exists() || !packed(segment).exists()) {
        return SegmentSource.of(files.openToRead(file(segment))); // perhaps replaced meanwhile
      }
      return PackedSegment.open(files.openToRead(packed(segment)));
    }
  }

  @Override
  public boolean isInGap(long position) {
    try (SegmentSource in = open(SegmentPosition.segment(position))) {
      return GapLine.covers(in, SegmentPosition.offset(position));
    } catch (IOException unreadable) {
      return false;
    }
  }

  /**
   * Replaces the compressed file of a segment by an uncompressed one, durably. Afterwards no file
   * but the uncompressed one contains the segment. The caller holds the store's lock.
   */
  void unpack(int segment) throws IOException {
    Path plain = file(segment).toPath();
    if (!plain.toFile().exists() && packed(segment).exists()) {
      Path temporary = PrivateFiles.temporary(plain);
      files.createFile(temporary);
      try (SegmentSource in = open(segment);
          RandomAccessFile out = files.openInPlace(temporary)) {
        SegmentCopy.copy(in, 0, in.length(), out::write);
        files.sync(out);
      }
      files.move(temporary, plain, StandardCopyOption.ATOMIC_MOVE);
      files.syncFolder(directory);
    }
    if (files.deleteIfExists(packed(segment).toPath())) {
      files.syncFolder(directory);
    }
  }

  @Override
  public int before(int segment) {
    return segment <= FIRST || exists(segment - 1) ? segment - 1 : neighbour(segment, false);
  }

  /** Returns the next existing segment after a number, or 0 if none exists. */
  int after(int segment) {
    return exists(segment + 1) ? segment + 1 : neighbour(segment, true);
  }

  /**
   * Searches the file names, because gaps in untrusted numbers may be too large to count through.
   */
  private int neighbour(int segment, boolean later) {
    int found = 0;
    String[] names = folder.list();
    for (String name : names == null ? new String[0] : names) {
      int number = number(name);
      if (later && number > segment && (found == 0 || number < found)
          || !later && number < segment && number > found) {
        found = number;
      }
    }
    return found;
  }

  @Override
  public long length(int segment) {
    long length = file(segment).length();
    return length == 0 ? packedLength(segment) : length;
  }

  /** Returns the length of the log in a compressed segment, or 0 if none exists. */
  private long packedLength(int segment) {
    long fileBytes = packed(segment).length();
    if (fileBytes == 0) {
      return file(segment).length(); // perhaps replaced meanwhile
    }
    PackedLength known = packedLengths.get(segment);
    if (known == null || known.fileBytes != fileBytes) {
      try (SegmentSource in = open(segment)) {
        known = new PackedLength(fileBytes, in.length());
      } catch (IOException e) {
        throw PrivateFiles.failure("cannot read " + packed(segment), e);
      }
      packedLengths.put(segment, known);
    }
    return known.logBytes;
  }

  @Override
  public long length(int segment, long fileBytes) {
    return fileBytes;
  }

  @Override
  public int last() {
    String[] names = folder.list();
    int last = 0;
    if (names != null) {
      for (String name : names) {
        last = Math.max(last, number(name));
      }
    }
    noteLast(last);
    return last;
  }

  /**
   * Returns current bytes of a segment, or zeros if they are not readable.
   *
   * @param before the number of bytes to read before the position; {@code length} includes these
   *     bytes
   */
  byte[] read(long position, int before, int length) {
    byte[] bytes = new byte[length];
    try (SegmentSource in = open(SegmentPosition.segment(position))) {
      in.readFully(SegmentPosition.offset(position) - before, bytes);
      return bytes;
    } catch (IOException gone) {
      return new byte[length];
    }
  }

  /**
   * Returns the bytes around a position; fewer at the end of the segment.
   *
   * @param before the number of bytes before the position
   * @param behind the number of bytes after the position
   */
  byte[] readAround(long position, int before, int behind) {
    byte[] bytes = new byte[before + behind];
    long from = SegmentPosition.offset(position) - before;
    try (SegmentSource in = open(SegmentPosition.segment(position))) {
      int count = 0;
      int more = 1;
      while (more > 0 && count < bytes.length) {
        more = in.read(from + count, bytes, count, bytes.length - count);
        count += Math.max(0, more);
      }
      return Arrays.copyOf(bytes, count);
    } catch (IOException gone) {
      return new byte[before];
    }
  }

  /** Returns true if a segment, which ends at this offset, has no line but its header. */
  boolean hasOnlyHeader(int segment, long end) {
    if (end > LONGEST_HEADER || header(segment) == null) {
      return false;
    }
    byte[] all = readAround(SegmentPosition.of(segment, 0), 0, (int) end);
    return LogLine.indexOf(all, 0, all.length, (byte) '\n') == end - 1;
  }

  /** Returns the exception for a missing log. */
  RalphException gone() {
    return RalphException.notFound(
        "the log of the store is missing in " + directory + "; restore the log from a copy");
  }

  /** Records that a segment of this number exists or existed. */
  void noteLast(int segment) {
    if (segment > knownLast) {
      knownLast = segment;
    }
  }

  /** Returns the largest known segment number. A missing segment with a smaller number is lost. */
  int knownLast() {
    return knownLast;
  }

  /** Returns the segment number in a file name, or 0 if the name is not a segment's. */
  private static int number(String name) {
    boolean isSegment =
        name.length() == DIGITS + SUFFIX.length() && name.endsWith(SUFFIX)
            || name.length() == DIGITS + SUFFIX.length() + PACKED.length()
                && name.endsWith(SUFFIX + PACKED);
    if (!isSegment) {
      return 0;
    }
    int number = 0;
    for (int i = 0; i < DIGITS; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      number = number * 10 + digit;
    }
    return number > LAST ? 0 : number;
  }

  /**
   * Creates a segment with its header, durably; does nothing if it exists. The caller holds the
   * store's lock.
   *
   * @param format the format in the header
   * @param link the checksum of the last line of the log, or {@link LogLine#NO_CHECKSUM}
   */
  void create(int segment, int format, String storeId, long nowMillis, long link) {
    if (!exists(segment)) {
      byte[] header = SegmentHeader.line(format, storeId, segment, nowMillis, link);
      files.writeAtomically(file(segment).toPath(), header, true);
    }
  }

  /**
   * Returns the header of a segment, or null if it is damaged.
   *
   * @throws RalphException UNSUPPORTED if the header is intact and has a newer format
   */
  @Nullable SegmentHeader header(int segment) {
    try (SegmentSource in = open(segment)) {
      byte[] start = new byte[LONGEST_HEADER];
      int length = Math.max(0, in.read(0, start, 0, start.length));
      int end = LogLine.indexOf(start, 0, length, (byte) '\n');
      return end == length ? null : SegmentHeader.of(start, 0, end, file(segment).getPath());
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + file(segment), e);
    }
  }

  /** Returns the newest readable header, or null. Earlier segments may have older formats. */
  @Nullable SegmentHeader newestHeader(int last) {
    SegmentHeader header = null;
    for (int segment = last; segment >= FIRST && header == null; segment = before(segment)) {
      header = exists(segment) ? header(segment) : null;
    }
    return header;
  }
}
