package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.file.FileIdentity;
import dev.ralph.store.support.internal.segment.WitnessPage.Entry;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Detects the loss of acknowledged frames, and the deletion or move of the store. Each open store
 * has a witness. Safe for use by many threads.
 *
 * <p>Each append records the end of the log in the file {@code .git/witness}. Git never tracks
 * files in a folder of this name, not even by force, so git can't restore an older witness together
 * with an older log.
 *
 * <p>An open store fails all further calls after a replacement of the log, because everything read
 * from the store may be wrong. After it is opened again, the store continues with the existing log
 * and reports the loss. The loss is recorded in {@code rolled-back}, until the missing bytes are
 * restored or the user deletes the file.
 */
public final class LogWitness implements AutoCloseable {

  /** The name of the file in a store's folder. */
  private static final String NAME = ".git/witness";

  /** The name of the file that exists while frames are erased. */
  public static final String ERASING = "erasing";

  private static final String RECORD = "rolled-back";
  private static final int CHECKED_BYTES = 32;

  /** The maximum length of the record in bytes; a line has about 200 bytes. */
  private static final int LONGEST_RECORD = 16 * 1024 * 1024;

  /** The time for which readers trust the last check that the store is in place. */
  private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final String CAUSE =
      "; git checkout, reset and stash cause this if git tracks the store (see ralph doctor)";

  private final Path directory;
  private final SegmentedLog log;

  private volatile @Nullable WitnessPage page;

  /** The file that must stay in place while the store is open; null if the identity is unknown. */
  private volatile @Nullable Seen anchor;

  /** The file of the newest segment, as last checked. */
  private volatile @Nullable Seen seen;

  /** The time at which the anchor was last found in place, as {@link System#nanoTime}. */
  private volatile long seenThere = System.nanoTime() - TRUSTED_NANOS;

  private volatile long knownLosses;

  /** The position that the log did not reach when the store was opened, or -1. */
  private volatile long missingAtOpening = -1;

  /** The exception that all further calls throw, or null. */
  private volatile @Nullable RalphException failure;

  private record Seen(int segment, Path path, FileIdentity identity) {
    boolean isInPlace() {
      return identity.isSameFile(FileIdentity.of(path));
    }
  }

  /** Acknowledged bytes that are missing in the log. */
  private record Loss(Entry entry, Damage damage) {}

  private LogWitness(Path directory, SegmentedLog log) {
    this.directory = directory;
    this.log = log;
  }

  /**
   * Returns the witness file of a store.
   *
   * @param store the folder of the store
   */
  public static Path file(Path store) {
    return store.resolve(NAME);
  }

  /** Starts to watch a log. Logs a warning if acknowledged bytes are missing. */
  public static LogWitness open(Path directory, SegmentedLog log) {
    LogWitness witness = new LogWitness(directory, log);
    witness.map(false);
    witness.examineAtOpening();
    return witness;
  }

  /** Prepares for {@link #acknowledged}; creates the witness file if it is missing. */
  public void keep() {
    requireUnchanged();
    Path file = file(directory);
    try {
      if (!file.toFile().exists()) {
        log.files().createDirectories(file.resolveSibling(""));
        log.files().createFile(file);
      }
    } catch (RalphException e) {
      System.getLogger(LogWitness.class.getName())
          .log(System.Logger.Level.DEBUG, "a replaced log will not be detected", e);
    }
    map(true);
  }

  private void map(boolean writable) {
    Path path = file(directory);
    FileIdentity identity = FileIdentity.of(path);
    if (identity != null) {
      try {
        page = WitnessPage.open(log.files(), path, identity, writable);
        anchor = new Seen(0, path, identity);
        return;
      } catch (IOException e) {
        System.getLogger(LogWitness.class.getName())
            .log(System.Logger.Level.DEBUG, "cannot use " + path, e);
      }
    }
    identity = FileIdentity.of(directory);
    anchor = identity == null ? null : new Seen(0, directory, identity);
  }

  private void examineAtOpening() {
    WitnessPage from = page;
    if (from == null) {
      return;
    }
    knownLosses = from.losses();
    Loss loss = findLoss(from);
    if (loss != null) {
      missingAtOpening = loss.entry.position();
      warn(loss.damage, "; restore the file now, or the next append continues without its frames");
    }
    for (Damage recorded : recorded()) {
      warn(
          recorded,
          "; restore the missing frames by ralph import, then delete "
              + directory.resolve(RECORD)
              + " to end this warning");
    }
  }

  private void warn(Damage damage, String whatToDo) {
    System.getLogger(LogWitness.class.getName())
        .log(System.Logger.Level.WARNING, directory + ": " + text(damage) + whatToDo);
  }

  private static String text(Damage damage) {
    return damage.file() + " " + damage.description() + CAUSE;
  }

  // ---- checks by readers and appenders

  /**
   * Checks that the store is in place, and that all acknowledged bytes are in the log.
   *
   * @throws RalphException NOT_FOUND if the store was deleted, moved or replaced; DAMAGED if its
   *     log was
   */
  public void requireUnchanged() {
    checkedNewest();
  }

  /**
   * Performs the check of {@link #requireUnchanged()} and returns the length of a segment in bytes.
   * For the newest segment, both take a single stat of the file.
   */
  public long length(int segment) {
    Seen newest = checkedNewest();
    return newest != null && newest.segment == segment
        ? log.length(segment, newest.identity.size())
        : log.length(segment);
  }

  /**
   * Performs all checks. Returns the newest segment's file, or null if it was not examined.
   *
   * <p>While the segment's file is the same, the store was hardly deleted or moved. So the witness
   * file is checked only every few milliseconds, and a read costs one stat.
   */
  private @Nullable Seen checkedNewest() {
    requireNoFailure();
    WitnessPage from = page;
    Seen newest = from == null ? null : newest(from.entry());
    if (newest == null || System.nanoTime() - seenThere > TRUSTED_NANOS) {
      requireInPlace();
    }
    if (from == null) {
      map(false); // another process may have created the witness file
      from = page;
    }
    if (from == null) {
      return null;
    }
    requireSameLosses(from);
    if (newest == null) {
      requireNoLoss(from);
    }
    return newest;
  }

  /**
   * Returns the reason why the store's lock could not be acquired: the replaced log if the log and
   * the lock file were replaced together, otherwise the given failure.
   */
  public RuntimeException reason(RuntimeException failure) {
    try {
      requireUnchanged();
      return failure;
    } catch (RalphException changed) {
      return changed;
    }
  }

  private void requireNoLoss(WitnessPage from) {
    Loss loss = examineTwice(from, from.entry());
    if (loss != null && loss.entry.position() != missingAtOpening) {
      throw fail(damaged(loss));
    }
  }

  /**
   * Checks that the store is in place.
   *
   * @throws RalphException NOT_FOUND if the store was deleted, moved or replaced
   */
  public void requireInPlace() {
    requireNoFailure();
    Seen there = anchor;
    if (there != null && !there.isInPlace()) {
      throw fail(StoreLock.gone(directory));
    }
    seenThere = System.nanoTime();
  }

  /**
   * Checks before an append that the log holds all acknowledged bytes. Records a loss; processes
   * that open the store later then continue with the existing log. The caller holds the store's
   * lock.
   *
   * @throws RalphException DAMAGED if the log was replaced while the store was open
   */
  public void check() {
    requireNoFailure();
    WitnessPage to = page;
    if (to == null) {
      return;
    }
    requireSameLosses(to);
    Loss loss = findLoss(to);
    if (loss == null) {
      return;
    }
    if (loss.damage.bytes() > 0 && to.isWritable()) {
      record(loss);
      to.countLoss();
    }
    if (loss.entry.position() != missingAtOpening) {
      throw fail(damaged(loss));
    }
    knownLosses = to.losses();
  }

  /**
   * Checks only for losses recorded by other processes. Sufficient before a write that depends on
   * no frame in the log, because {@link #checkWritten} examines the log.
   */
  public void checkNotices() {
    requireNoFailure();
    WitnessPage from = page;
    if (from != null) {
      requireSameLosses(from);
    }
  }

  /**
   * Checks before the acknowledgement that the written bytes are in the store's file. The caller
   * holds the store's lock.
   *
   * @param file the written file
   * @param length the length of the file after the write, in bytes
   * @throws RalphException NOT_FOUND if the store was deleted, moved or replaced; DAMAGED if its
   *     log was. In both cases the bytes may be in another file
   */
  public void checkWritten(SegmentFile file, long length) {
    if (!file.isInPlace(length)) {
      requireInPlace();
      check();
      throw fail(StoreLock.gone(directory));
    }
  }

  /**
   * Records a batch at the end of the log. The caller holds the store's lock.
   *
   * @param position the end of the batch
   * @param bytes the bytes of the log before the position
   * @param length the number of valid bytes in the array
   */
  public void acknowledged(long position, byte[] bytes, int length) {
    WitnessPage to = page;
    if (to != null) {
      to.acknowledge(
          position, length < CHECKED_BYTES ? WitnessPage.NO_CHECK : check(bytes, length));
    }
  }

  /**
   * Returns true if the last acknowledged batch of all processes ends at this position. The caller
   * holds the store's lock.
   */
  public boolean isAcknowledgedEnd(long position) {
    WitnessPage from = page;
    return from != null && from.entry().position() == position;
  }

  /** Records that the log is durable up to a position. */
  public void synced(long position) {
    WitnessPage to = page;
    if (to != null) {
      to.synced(position);
    }
  }

  /** Returns the acknowledged parts that are missing in the log. */
  public List<Damage> losses() {
    List<Damage> losses = recorded();
    WitnessPage from = page;
    Loss loss = from == null ? null : findLoss(from);
    if (loss != null && loss.damage.bytes() > 0) {
      losses.add(loss.damage);
    }
    return losses;
  }

  /** Releases the mapped page. No method may be called afterwards. */
  @Override
  public void close() {
    page = null; // the platform unmaps the page when it is unreachable
  }

  // ---- failures

  private void requireNoFailure() {
    RalphException before = failure;
    if (before != null) {
      throw before.withMessage(String.valueOf(before.getMessage()));
    }
  }

  private RalphException fail(RalphException with) {
    failure = with;
    return with;
  }

  private void requireSameLosses(WitnessPage from) {
    if (from.losses() != knownLosses) {
      List<Damage> recorded = recorded();
      String what =
          recorded.isEmpty() ? "the log was replaced" : text(recorded.get(recorded.size() - 1));
      throw fail(damaged(what));
    }
  }

  private RalphException damaged(Loss loss) {
    return damaged(text(loss.damage));
  }

  private RalphException damaged(String what) {
    return RalphException.damaged(
        directory
            + ": "
            + what
            + ". Frames read before may be wrong, so further calls fail; open the store again to"
            + " continue with the existing log");
  }

  // ---- examining the log

  /** Returns the loss, or null. Costs one stat of the newest segment if nothing is missing. */
  private @Nullable Loss findLoss(WitnessPage from) {
    Entry entry = from.entry();
    return newest(entry) == null ? examineTwice(from, entry) : null;
  }

  /**
   * Returns the current file of the newest segment if it is the file seen before and long enough;
   * null if a closer examination is necessary.
   */
  private @Nullable Seen newest(Entry entry) {
    Seen before = seen;
    if (before == null || before.segment != SegmentPosition.segment(entry.position())) {
      return null;
    }
    FileIdentity now = FileIdentity.of(before.path);
    return now != null
            && before.identity.isSameFile(now)
            && now.size() >= SegmentPosition.offset(entry.position())
        ? new Seen(before.segment, before.path, now)
        : null;
  }

  private @Nullable Loss examineTwice(WitnessPage from, Entry entry) {
    if (entry.position() == 0) {
      return null;
    }
    int segment = SegmentPosition.segment(entry.position());
    Loss loss = examine(entry, segment);
    if (loss != null && !from.entry().equals(entry)) {
      return findLoss(from); // the last acknowledged batch may have been erased in the meantime
    }
    // A roll file may have been renamed in the meantime, so examine twice.
    return loss == null ? null : examine(entry, segment);
  }

  private @Nullable Loss examine(Entry entry, int segment) {
    Path path = log.file(segment).toPath();
    FileIdentity now = FileIdentity.of(path);
    if (!holds(entry)) {
      return new Loss(entry, missing(entry));
    }
    Seen before = seen;
    if (now == null) {
      return null; // the file is not accessible
    }
    if (before != null && before.segment == segment && !before.identity.isSameFile(now)) {
      String name = name(path);
      return new Loss(entry, new Damage(name, 0, 0, 0, "was replaced while in use"));
    }
    seen = new Seen(segment, path, now);
    return null;
  }

  /** Returns false if acknowledged bytes before this position are certainly missing. */
  private boolean holds(Entry entry) {
    long offset = SegmentPosition.offset(entry.position());
    int segment = SegmentPosition.segment(entry.position());
    File file = log.file(segment);
    try (SegmentSource in = log.open(segment)) {
      if (in.length() < offset) {
        return false;
      }
      if (entry.check() == WitnessPage.NO_CHECK || offset < CHECKED_BYTES) {
        return true;
      }
      byte[] bytes = new byte[CHECKED_BYTES];
      in.readFully(offset - CHECKED_BYTES, bytes);
      // an interrupted erasure or a compaction may have changed these bytes
      return check(bytes, CHECKED_BYTES) == entry.check()
          || directory.resolve(ERASING).toFile().exists()
          || log.isInGap(entry.position());
    } catch (FileNotFoundException e) {
      return !FileIdentity.isMissing(file.toPath());
    } catch (IOException unknown) {
      return true;
    }
  }

  private static long check(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, end - CHECKED_BYTES, CHECKED_BYTES);
    return crc.getValue();
  }

  private Damage missing(Entry entry) {
    long reached = SegmentPosition.offset(entry.position());
    Path path = log.file(SegmentPosition.segment(entry.position())).toPath();
    FileIdentity now = FileIdentity.of(path);
    String name = name(path);
    if (now == null) {
      return new Damage(name, 0, reached, 1, "is missing; " + reached + " bytes were acknowledged");
    }
    if (now.size() < reached) {
      return new Damage(
          name,
          now.size(),
          reached - now.size(),
          1,
          "has " + now.size() + " bytes, but " + reached + " were acknowledged");
    }
    return new Damage(name, 0, reached, 1, "lacks acknowledged bytes up to byte " + reached);
  }

  private String name(Path path) {
    return directory.relativize(path).toString().replace('\\', '/');
  }

  // ---- the record of losses

  /** Adds a line: time, position, checksum, damage. */
  private void record(Loss loss) {
    Path file = directory.resolve(RECORD);
    Damage damage = loss.damage;
    String line =
        Instant.now()
            + " "
            + loss.entry.position()
            + " "
            + loss.entry.check()
            + " "
            + damage.offset()
            + " "
            + damage.bytes()
            + " "
            + damage.file()
            + " "
            + damage.description()
            + "\n";
    String text = recordText();
    if (text != null) { // a larger file was not written by a store
      log.files().writeAtomically(file, (text + line).getBytes(StandardCharsets.UTF_8), true);
    }
  }

  /** Returns the contents of the record, or null if the file is larger than any record. */
  private @Nullable String recordText() {
    try {
      byte[] text = log.files().read(directory.resolve(RECORD), LONGEST_RECORD);
      return text == null ? null : new String(text, StandardCharsets.UTF_8);
    } catch (IOException none) {
      return "";
    }
  }

  /** Returns the recorded losses that were not restored. */
  private List<Damage> recorded() {
    List<Damage> losses = new ArrayList<>();
    String text = recordText();
    for (String line : text == null ? new String[0] : text.split("\n")) {
      String[] words = line.split(" ", 7);
      if (words.length < 7) {
        continue;
      }
      try {
        Entry entry = new Entry(Long.parseLong(words[1]), Long.parseLong(words[2]));
        if (entry.position() > 0 && !holds(entry)) {
          losses.add(
              new Damage(
                  words[5],
                  Long.parseLong(words[3]),
                  Long.parseLong(words[4]),
                  1,
                  words[6] + " on " + words[0]));
        }
      } catch (NumberFormatException notOurs) {
        // a line added by a user
      }
    }
    return losses;
  }
}
