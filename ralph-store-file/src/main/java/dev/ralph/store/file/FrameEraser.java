package dev.ralph.store.file;

import dev.ralph.log.Draft;
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
 * Erases frames. Writes a plan before any change, so that the next process with the lock can
 * complete the erasure if this process is killed.
 */
final class FrameEraser {

  /** The most ids in one notice. */
  private static final int NAMED_AT_ONCE = 1_000;

  private final Segments segments;
  private final FileSnapshotStore snapshots;
  private final String storeId;
  private final StoreLock lock;
  private final Clock clock;
  private final LogTail end;

  /** Informs readers that fold the log about erased frames. */
  interface Notices {

    /** Appends notices under the lock that the caller holds. The notices are durable on return. */
    void append(List<Draft> notices) throws IOException;
  }

  FrameEraser(
      Segments segments, FileSnapshotStore snapshots, String storeId, Clock clock, LogTail end) {
    this.segments = segments;
    this.snapshots = snapshots;
    this.storeId = storeId;
    this.clock = clock;
    this.end = end;
    this.lock = end.lock();
  }

  /**
   * Erases the meta and the content of frames.
   *
   * @return the number of frames that were not erased before
   */
  int erase(List<StoredFrame> frames, Notices notices) {
    Set<String> needed = new HashSet<>();
    try (LogReader reader = new LogReader(segments, TopicFilter.all(), 0, null)) {
      if (frames.stream().anyMatch(frame -> frame.contentAddress() != null)) {
        addAddresses(reader, frames, needed); // without the lock, because this may take long
      }
      unpack(frames);
      lock.acquire();
      try {
        end.catchUp(true);
        completeErasure(notices);
        ErasurePlan plan = plan(frames);
        if (plan.count() > 0) {
          requireErasedFormat();
          plan.unpack(segments); // before the plan exists, because the disk may be full
          lock.unfinished(true);
          plan.write(segments);
          finish(plan, reader, needed, notices);
        }
        return plan.count();
      } finally {
        lock.release();
      }
    } catch (IOException e) {
      throw PrivateFiles.failure("cannot erase frames in " + segments.directory(), e);
    }
  }

  /** Makes the segments of frames uncompressed. Other processes may append after each segment. */
  private void unpack(List<StoredFrame> frames) throws IOException {
    int segment = 0;
    for (StoredFrame frame : frames) {
      int number = SegmentPosition.segment(frame.position().value());
      if (number != segment && !segments.file(number).exists()) {
        lock.acquire();
        try {
          segments.unpack(number);
        } finally {
          lock.release();
        }
      }
      segment = number;
    }
  }

  /**
   * Reads to the end of the log, and adds the content addresses of all frames except the given
   * ones.
   */
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

  /** Returns a plan for all frames with a meta or a content to erase. */
  private ErasurePlan plan(List<StoredFrame> frames) throws IOException {
    ErasurePlan plan = new ErasurePlan(storeId);
    try (SegmentBytes in = new SegmentBytes(segments)) {
      for (StoredFrame frame : frames) {
        add((FileFrame) frame, in, plan);
      }
    }
    return plan;
  }

  private void add(FileFrame frame, SegmentBytes in, ErasurePlan to) throws IOException {
    int number = SegmentPosition.segment(frame.position().value());
    long offset = SegmentPosition.offset(frame.position().value()) - frame.length();
    byte[] line = new byte[frame.length() - 1];
    in.read(number, offset, line);
    int from = frame.bodyFrom();
    if (!LogLine.isIntact(line, 0, line.length, new CRC32C())) {
      if (segments.isInGap(frame.position().value())) {
        return; // erased and removed since the frame was read
      }
      throw new IOException("the line of frame " + frame.id() + " was changed after it was read");
    }
    int length = line.length - LogLine.CRC_LENGTH - from;
    if (LogLine.at(line, from, LogLine.META) && length >= Tombstone.SHORTEST) {
      to.add(frame, number, offset + from, length, Tombstone.write(line, from));
    }
  }

  /**
   * Ensures that earlier versions of the software, which report erased lines as damage, reject the
   * store.
   */
  private void requireErasedFormat() throws IOException {
    SegmentHeader header = segments.header(end.segment()); // versions check the newest segment
    if (header == null || header.format() < SegmentHeader.ERASED) {
      end.roll(SegmentHeader.ERASED);
    }
  }

  /** Completes the erasure of a killed process, if there is one. */
  void completeErasure(Notices notices) throws IOException {
    if (!lock.isUnfinished()) {
      return;
    }
    if (!Files.exists(segments.erasing(), LinkOption.NOFOLLOW_LINKS)) {
      lock.unfinished(false);
      return;
    }
    ErasurePlan plan = ErasurePlan.read(segments);
    if (plan == null || !plan.fits(segments, storeId)) {
      setAside();
      return;
    }
    try (LogReader reader = new LogReader(segments, TopicFilter.all(), 0, null)) {
      finish(plan, reader, new HashSet<>(), notices);
    }
  }

  /** Moves an invalid plan, or a plan of another log, aside for the user. */
  private void setAside() throws IOException {
    Path folder = segments.damaged();
    segments.files().createDirectories(folder);
    Path aside;
    long number = clock.millis();
    do {
      aside = folder.resolve(ErasurePlan.ASIDE + number++);
    } while (Files.exists(aside, LinkOption.NOFOLLOW_LINKS));
    segments.files().move(segments.erasing(), aside); // also moves a link or a folder
    segments.files().syncFolder(folder);
    segments.files().syncFolder(segments.files().root());
    lock.unfinished(false);
    System.getLogger(FrameEraser.class.getName())
        .log(
            System.Logger.Level.WARNING,
            segments.erasing() + " " + ErasurePlan.DOES_NOT_FIT + ": see " + aside);
  }

  /**
   * Performs a plan. Every step may be repeated.
   *
   * @param reader reads the frames that are not yet included in {@code needed}
   * @param needed the content addresses of all frames that stay
   */
  private void finish(ErasurePlan plan, LogReader reader, Set<String> needed, Notices notices)
      throws IOException {
    snapshots.erasing(end.position(), plan.ids().keySet());
    plan.overwrite(segments);
    if (!plan.addresses().isEmpty()) {
      addAddresses(reader, List.of(), needed);
    }
    for (String address : plan.addresses()) {
      if (!needed.contains(address)) {
        segments.contents().remove(address);
      }
    }
    snapshots.remove(plan.ids().keySet());
    List<Draft> drafts = new ArrayList<>();
    plan.ids()
        .forEach(
            (topic, ids) -> {
              for (int from = 0; from < ids.size(); from += NAMED_AT_ONCE) {
                int to = Math.min(ids.size(), from + NAMED_AT_ONCE);
                drafts.add(Draft.erasureNotice(topic, ids.subList(from, to)));
              }
            });
    notices.append(drafts);
    ErasurePlan.done(segments);
    lock.unfinished(false);
  }
}
