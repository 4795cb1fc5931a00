package dev.ralph.store.file;

import dev.ralph.log.Draft;
import dev.ralph.log.Erasure;
import dev.ralph.log.TopicFilter;
import dev.ralph.store.support.FileSnapshotStore;
import dev.ralph.store.support.PrivateFiles;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.segment.SegmentPosition;
import dev.ralph.store.support.internal.segment.StoredFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Erases frames. What is to be done is written down, then done: by the next process that takes the
 * lock, if this one is killed.
 */
final class Eraser {

  /** The most ids in one notice. */
  private static final int NAMED_AT_ONCE = 1_000;

  private final Segments segments;
  private final FileSnapshotStore snapshots;
  private final String storeId;
  private final Path asideDirectory;
  private final StoreLock lock;
  private final Clock clock;
  private final KnownEnd end;
  private final Notices notices;

  /** Tells those who fold the log that frames are gone. */
  interface Notices {

    /** Appends these under the lock that is held; they are durable when this returns. */
    void append(List<Draft> notices) throws IOException;
  }

  Eraser(
      Segments segments,
      FileSnapshotStore snapshots,
      String storeId,
      Path asideDirectory,
      StoreLock lock,
      Clock clock,
      KnownEnd end,
      Notices notices) {
    this.segments = segments;
    this.snapshots = snapshots;
    this.storeId = storeId;
    this.asideDirectory = asideDirectory;
    this.lock = lock;
    this.clock = clock;
    this.end = end;
    this.notices = notices;
  }

  /**
   * Erases frames: what is to be done is written down, then done.
   *
   * @return how many of them had something to erase
   */
  int erase(List<StoredFrame> frames) {
    Set<String> needed = new HashSet<>();
    try (LogReader reader = new LogReader(segments, TopicFilter.all(), 0, null)) {
      if (frames.stream().anyMatch(frame -> frame.contentAddress() != null)) {
        addAddresses(reader, frames, needed); // without the lock, because this may take long
      }
      lock.acquire();
      try {
        end.catchUp(true);
        finishWhatWasBegun();
        Erasing erasing = plan(frames);
        if (erasing.count() > 0) {
          requireVersionsThatKnowIt();
          lock.unfinished(true);
          erasing.write(segments);
          finish(erasing, reader, needed);
        }
        return erasing.count();
      } finally {
        lock.release();
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot erase frames in " + segments.directory(), e);
    }
  }

  /** Reads to the end of the log; adds the addresses that other frames name. */
  private static void addAddresses(LogReader reader, List<StoredFrame> but, Set<String> to) {
    Set<String> erased = new HashSet<>();
    but.forEach(frame -> erased.add(frame.id()));
    do {
      FileFrame frame;
      while ((frame = reader.next()) != null) {
        String address = frame.contentAddress();
        if (address != null && !erased.contains(frame.id())) {
          to.add(address);
        }
      }
    } while (reader.enterNextSegment());
  }

  /** Returns the plan to erase frames, without those in which there is nothing to erase. */
  private Erasing plan(List<StoredFrame> frames) throws IOException {
    Erasing erasing = new Erasing(storeId);
    try (SegmentInput in = new SegmentInput(segments)) {
      for (StoredFrame frame : frames) {
        add((FileFrame) frame, in, erasing);
      }
    }
    return erasing;
  }

  private static void add(FileFrame frame, SegmentInput in, Erasing to) throws IOException {
    int number = SegmentPosition.segment(frame.position().value());
    long offset = SegmentPosition.offset(frame.position().value()) - frame.length();
    byte[] line = new byte[frame.length() - 1];
    in.read(number, offset, line);
    int from = frame.bodyFrom();
    if (!Line.isIntact(line, 0, line.length, new CRC32C())) {
      throw new IOException("the line of frame " + frame.id() + " is not what was read before");
    }
    int length = line.length - Line.CRC_LENGTH - from;
    if (Line.at(line, from, Line.META) && length >= Tombstone.SHORTEST) {
      to.add(frame, number, offset + from, length, Tombstone.write(line, from));
    }
  }

  /** Sees to it that versions which take erased lines for damage refuse the store from now on. */
  private void requireVersionsThatKnowIt() throws IOException {
    SegmentHeader header =
        segments.header(end.segment()); // that of the newest segment is looked at
    if (header == null || header.format() < SegmentHeader.ERASED) {
      end.roll(SegmentHeader.ERASED);
    }
  }

  /** Does what another process was killed at, if one was. */
  void finishWhatWasBegun() throws IOException {
    if (!lock.isUnfinished()) {
      return;
    }
    if (!Files.exists(segments.erasing(), LinkOption.NOFOLLOW_LINKS)) {
      lock.unfinished(false);
      return;
    }
    Erasing erasing = Erasing.read(segments);
    if (erasing == null || !erasing.fits(segments, storeId)) {
      setAside();
      return;
    }
    try (LogReader reader = new LogReader(segments, TopicFilter.all(), 0, null)) {
      finish(erasing, reader, new HashSet<>());
    }
  }

  /** Keeps what is not of this log, or not what was written, for somebody to look at. */
  private void setAside() throws IOException {
    segments.files().createDirectories(asideDirectory);
    Path aside;
    long number = clock.millis();
    do {
      aside = asideDirectory.resolve(Erasing.ASIDE + number++);
    } while (Files.exists(aside, LinkOption.NOFOLLOW_LINKS));
    segments.files().move(segments.erasing(), aside); // be it a link, or a folder
    segments.files().syncFolder(asideDirectory);
    segments.files().syncFolder(segments.files().root());
    lock.unfinished(false);
    System.getLogger(Eraser.class.getName())
        .log(
            System.Logger.Level.WARNING,
            segments.erasing() + " " + Erasing.DOES_NOT_FIT + ": see " + aside);
  }

  /**
   * Everything here may be done again.
   *
   * @param reader reads what is not in {@code needed} yet
   * @param needed the addresses of contents that other frames name
   */
  private void finish(Erasing erasing, LogReader reader, Set<String> needed) throws IOException {
    snapshots.erasing(end.position(), erasing.ids().keySet());
    erasing.overwrite(segments);
    if (!erasing.addresses().isEmpty()) {
      addAddresses(reader, List.of(), needed);
    }
    for (String address : erasing.addresses()) {
      if (!needed.contains(address)) {
        segments.contents().remove(address);
      }
    }
    snapshots.remove(erasing.ids().keySet());
    List<Draft> told = new ArrayList<>();
    erasing
        .ids()
        .forEach(
            (topic, ids) -> {
              for (int from = 0; from < ids.size(); from += NAMED_AT_ONCE) {
                int to = Math.min(ids.size(), from + NAMED_AT_ONCE);
                told.add(Erasure.notice(topic, ids.subList(from, to)));
              }
            });
    notices.append(told);
    Erasing.done(segments);
    lock.unfinished(false);
  }
}
