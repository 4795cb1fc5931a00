package dev.ralph.store.file;

import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreFiles;
import dev.ralph.store.support.internal.segment.LogWitness;
import dev.ralph.store.support.internal.segment.SegmentIndexes;
import dev.ralph.store.support.internal.segment.SegmentSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/**
 * Replaces closed segments by compressed copies without their erased frames. Each copy is written
 * and verified without the store's lock, and replaces its segment under the lock. While both files
 * exist, only the uncompressed file counts. Therefore the process may be killed at any step.
 */
final class LogCompactor {

  /** The most attempts for a segment in which other threads or processes erase frames. */
  private static final int ATTEMPTS = 3;

  /** The largest segment, in bytes, whose last attempt excludes erasures by the store's lock. */
  private static final long LARGEST_LOCKED = 32L * 1024 * 1024;

  /** The number of bytes before the end of the log that are acknowledged. */
  private static final int ACKNOWLEDGED_BYTES = 64;

  private final Segments segments;
  private final SegmentIndexes indexes;
  private final LogTail end;
  private final FrameEraser eraser;
  private final LogWitness witness;

  /**
   * Creates a compactor.
   *
   * @param end the end of the log, with the store's lock
   */
  LogCompactor(
      Segments segments,
      SegmentIndexes indexes,
      LogTail end,
      FrameEraser eraser,
      LogWitness witness) {
    this.segments = segments;
    this.indexes = indexes;
    this.end = end;
    this.eraser = eraser;
    this.witness = witness;
  }

  /**
   * Compacts all segments but the last, after the current segment is closed.
   *
   * @param notices appends the notices of an erasure that a killed process did not complete
   * @return the number of bytes by which the files became shorter
   */
  long compact(FrameEraser.Notices notices) {
    try {
      int newest = closeSegment(notices);
      int kept = lastWithFrames(newest);
      long freed = 0;
      for (int segment = segments.before(newest);
          segment >= Segments.FIRST;
          segment = segments.before(segment)) {
        long length = segments.file(segment).length();
        long ofSegment = length > 0 ? -1 : 0;
        for (int attempt = 1; ofSegment < 0 && attempt <= ATTEMPTS; attempt++) {
          boolean isLocked = attempt == ATTEMPTS && length <= LARGEST_LOCKED;
          ofSegment = compact(segment, segment == kept, isLocked, notices);
        }
        freed += Math.max(0, ofSegment);
      }
      return freed;
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot compact " + segments.directory(), e);
    }
  }

  /**
   * Starts a new segment unless the current segment has no frame. Acknowledges its header, so that
   * no process expects the file of an earlier segment to stay in place.
   *
   * @return the number of the last segment
   */
  private int closeSegment(FrameEraser.Notices notices) throws IOException {
    end.lock().acquire();
    try {
      catchUp(notices);
      SegmentHeader header = segments.header(end.segment());
      if (header == null
          || header.format() < SegmentHeader.COMPACTED
          || !segments.hasOnlyHeader(end.segment(), end.offset())) {
        end.roll(SegmentHeader.COMPACTED);
      }
      int count = (int) Math.min(ACKNOWLEDGED_BYTES, end.offset());
      byte[] last = end.current().read(end.offset() - count, count);
      witness.acknowledged(end.position(), last, count);
      return end.segment();
    } finally {
      end.lock().release();
    }
  }

  private void catchUp(FrameEraser.Notices notices) throws IOException {
    end.catchUp(true);
    eraser.completeErasure(notices);
  }

  /** Returns the segment with the last frame, from whose id the next id follows. */
  private int lastWithFrames(int newest) {
    int segment = newest;
    while (segment >= Segments.FIRST
        && segments.exists(segment)
        && segments.hasOnlyHeader(segment, segments.length(segment))) {
      segment = segments.before(segment);
    }
    return segment;
  }

  /**
   * Compacts a segment, unless it is compressed or damaged.
   *
   * @param keepsLock whether the store's lock excludes erasures while the copy is written
   * @return the number of bytes by which the file became shorter, or -1 if frames were erased
   *     meanwhile
   */
  private long compact(
      int segment, boolean keepsLast, boolean keepsLock, FrameEraser.Notices notices)
      throws IOException {
    StoreFiles files = segments.files();
    Path temporary = PrivateFiles.temporary(segments.packed(segment).toPath());
    boolean isLocked = true;
    end.lock().acquire();
    try {
      catchUp(notices);
      byte[] erasures = segments.erasures();
      if (!keepsLock) {
        isLocked = false;
        end.lock().release();
      }
      try (SegmentSource plain = SegmentSource.of(files.openToRead(segments.file(segment)))) {
        SegmentCopy copy = SegmentCopy.of(segments, segment, keepsLast);
        boolean isEqual = copy != null && write(copy, plain, temporary);
        if (!isLocked) {
          end.lock().acquire();
          isLocked = true;
          catchUp(notices);
        }
        long length = segments.file(segment).length();
        if (length == 0) {
          return 0; // another process has compacted the segment
        }
        if (length != plain.length() || !Arrays.equals(erasures, segments.erasures())) {
          return -1;
        }
        if (copy == null) {
          System.getLogger(LogCompactor.class.getName())
              .log(
                  System.Logger.Level.WARNING,
                  segments.file(segment) + " is damaged and was not compacted; see ralph verify");
          return 0;
        }
        if (!isEqual) {
          throw new IOException(temporary + " does not contain the written bytes");
        }
        long freed = length - temporary.toFile().length();
        return copy.hasGaps() || freed > 0 ? replace(segment, temporary, freed) : 0;
      }
    } catch (FileNotFoundException e) {
      if (segments.file(segment).exists()) {
        throw e;
      }
      return 0; // compacted before
    } finally {
      if (isLocked) {
        end.lock().release();
      }
      files.deleteIfExists(temporary);
    }
  }

  /** Writes a copy of a segment to a new file; returns whether the file contains the copy. */
  private boolean write(SegmentCopy copy, SegmentSource plain, Path to) throws IOException {
    segments.files().createFile(to);
    try (RandomAccessFile out = segments.files().openInPlace(to);
        PackedWriter writer = new PackedWriter(out)) {
      copy.write(plain, writer);
      writer.finish();
      segments.files().sync(out);
    }
    try (SegmentSource written = PackedSegment.open(segments.files().openToRead(to.toFile()))) {
      return copy.isEqual(plain, written);
    }
  }

  /** Replaces a segment by its copy. The caller holds the store's lock. */
  private long replace(int segment, Path copy, long freed) throws IOException {
    StoreFiles files = segments.files();
    Path packed = segments.packed(segment).toPath();
    files.move(copy, packed, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    files.syncFolder(segments.directory());
    files.deleteIfExists(segments.file(segment).toPath());
    files.syncFolder(segments.directory());
    indexes.forget(segment);
    return freed;
  }
}
