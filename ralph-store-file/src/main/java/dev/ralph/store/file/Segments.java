package dev.ralph.store.file;

import dev.ralph.RalphException;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.LogWitness;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.SegmentPosition;
import dev.ralph.store.support.SegmentedLog;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The files that make up the log: {@code log/00000001.jsonl} and so on, each beginning with a
 * header line that carries the format's version and the store's id. Only the last one grows.
 */
final class Segments implements SegmentedLog {

  static final int FORMAT = 1;
  static final int FIRST = 1;

  private static final byte[] HEADER = Line.ascii("{\"ralph\":\"log\",\"format\":");
  private static final byte[] STORE = Line.ascii(",\"store\":\"");
  private static final byte[] SEGMENT = Line.ascii(",\"segment\":");
  private static final String SUFFIX = ".jsonl";
  private static final int LONGEST_HEADER = 512;

  private final Path directory;
  private final File folder;
  private volatile int knownLast;

  Segments(Path directory) {
    this.directory = directory;
    this.folder = directory.toFile();
  }

  Path directory() {
    return directory;
  }

  /** Returns the folder of the store. */
  Path store() {
    return Objects.requireNonNull(directory.getParent(), "the log is a folder in its store");
  }

  /** Returns the file that is there while frames are being erased. */
  Path erasing() {
    return store().resolve(LogWitness.ERASING);
  }

  /** Returns whether frames were ever erased, or are being erased for the first time. */
  boolean hasErased() {
    return new File(store().toFile(), FileSnapshotStore.ERASED).exists();
  }

  @Override
  public File file(int segment) {
    return new File(folder, name(segment));
  }

  static String name(int segment) {
    String digits = Integer.toString(segment);
    return "0".repeat(8 - digits.length()) + digits + SUFFIX;
  }

  boolean exists(int segment) {
    return file(segment).exists();
  }

  @Override
  public int before(int segment) {
    return segment - 1;
  }

  @Override
  public long length(int segment) {
    return file(segment).length();
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
        if (name.length() == 8 + SUFFIX.length() && name.endsWith(SUFFIX)) {
          last = Math.max(last, number(name));
        }
      }
    }
    noteLast(last);
    return last;
  }

  /**
   * Returns what stands in a segment now, zeros where it can't be read.
   *
   * @param before how many bytes before that position it begins
   */
  byte[] read(long position, int before, int length) {
    byte[] bytes = new byte[length];
    File file = file(SegmentPosition.segment(position));
    try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
      in.seek(SegmentPosition.offset(position) - before);
      in.readFully(bytes);
      return bytes;
    } catch (IOException gone) {
      return new byte[length];
    }
  }

  /** Returns the failure to report when the log that was there is gone. */
  RalphException gone() {
    return RalphException.notFound(
        "the store's log is gone from " + directory + "; restore it from a copy");
  }

  /** Remembers that there is, or was, a segment of that number. */
  void noteLast(int segment) {
    if (segment > knownLast) {
      knownLast = segment;
    }
  }

  /** Returns the largest number of a segment known here: one that is missing below it is lost. */
  int knownLast() {
    return knownLast;
  }

  private static int number(String name) {
    int number = 0;
    for (int i = 0; i < 8; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /**
   * Makes a segment durably, with its header; does nothing if it is there. Under the store's lock.
   *
   * @param link the checksum of the line that the log ends with, if there is one
   */
  void create(int segment, String storeId, long nowMillis, long link) {
    if (exists(segment)) {
      return;
    }
    byte[] time = new byte[TimeText.LENGTH];
    TimeText.write(nowMillis, time, 0);
    String text =
        "{\"ralph\":\"log\",\"format\":"
            + FORMAT
            + ",\"store\":\""
            + storeId
            + "\",\"segment\":"
            + segment
            + ",\"created\":\""
            + new String(time, StandardCharsets.US_ASCII)
            + "\""
            + (link == Line.NO_CHECKSUM ? "" : after(link));
    byte[] line = new byte[text.length() + Line.CRC_LENGTH + 1];
    System.arraycopy(Line.ascii(text), 0, line, 0, text.length());
    Line.writeChecksum(line, 0, text.length(), new CRC32C());
    line[line.length - 1] = '\n';
    PrivateFiles.writeAtomically(file(segment).toPath(), line, true);
  }

  private static String after(long link) {
    byte[] digits = new byte[Line.CHECKSUM_DIGITS];
    Line.writeDigits(digits, 0, link);
    return new String(Line.AFTER, StandardCharsets.US_ASCII)
        + new String(digits, StandardCharsets.US_ASCII)
        + "\"";
  }

  /** Returns the number that an intact header says its segment has. */
  static int headerSegment(byte[] buffer, int from) {
    int store = Line.indexOf(buffer, from + HEADER.length, (byte) ',') + STORE.length;
    return Line.number(buffer, Line.endOfString(buffer, store) + 1 + SEGMENT.length);
  }

  /** Returns the checksum in the {@code after} field of a header, if it has one. */
  static long headerLink(byte[] buffer, int from, int to) {
    int field = to - Line.CRC_LENGTH - 1 - Line.CHECKSUM_DIGITS - Line.AFTER.length;
    return field >= from && Line.at(buffer, field, Line.AFTER)
        ? Line.readDigits(buffer, field + Line.AFTER.length)
        : Line.NO_CHECKSUM;
  }

  /**
   * Returns the store's id as a segment's header has it, or null if the header is damaged.
   *
   * @throws RalphException UNSUPPORTED if the header is whole, but of another version
   */
  @Nullable String storeId(int segment) {
    try (RandomAccessFile in = new RandomAccessFile(file(segment), "r")) {
      byte[] start = new byte[LONGEST_HEADER];
      int length = Math.max(0, in.read(start));
      int end = 0;
      while (end < length && start[end] != '\n') {
        end++;
      }
      return end == length ? null : headerStoreId(start, 0, end, file(segment).getPath());
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot read " + file(segment), e);
    }
  }

  /** Returns the store's id in a header line, or null if the line is not an intact header. */
  static @Nullable String headerStoreId(byte[] buffer, int from, int to, String where) {
    if (!Line.isIntact(buffer, from, to, new CRC32C()) || !Line.at(buffer, from, HEADER)) {
      return null;
    }
    int format = Line.number(buffer, from + HEADER.length);
    if (format != FORMAT) {
      throw RalphException.unsupported(
          where
              + " was written in format "
              + format
              + ", which this version does not know; use a newer one");
    }
    int at = Line.indexOf(buffer, from + HEADER.length, (byte) ',');
    if (!Line.at(buffer, at, STORE)) {
      return null;
    }
    int id = at + STORE.length;
    return new String(buffer, id, Line.endOfString(buffer, id) - id, StandardCharsets.US_ASCII);
  }
}
