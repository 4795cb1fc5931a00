package dev.ralph.store.support.internal.segment;

import dev.ralph.log.Damage;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.StoreLock;
import dev.ralph.store.support.internal.file.FileIdentity;
import dev.ralph.store.support.internal.segment.WitnessPage.Entry;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a log has lost what was acknowledged, or that its store is not there any more. One
 * for each open store; safe for use by many threads.
 *
 * <p>Each append leaves word in the file {@code .git/witness} of how far the log reaches. Git takes
 * nothing that lies in a folder of that name, not even by force, so it can't put back an older
 * witness together with an older log. A store that was opened before its log was put back fails
 * from then on: all that was read from it may be wrong. Opened again, it goes on with what is
 * there, and says what is missing: the loss is kept in {@code rolled-back}, until what is missing
 * is back or somebody deletes that file.
 */
public final class LogWitness implements AutoCloseable {

  /** The name of the file, in a store's folder. */
  private static final String NAME = ".git/witness";

  /** The name of the file that is there while frames are being erased. */
  public static final String ERASING = "erasing";

  private static final String RECORD = "rolled-back";
  private static final int CHECKED_BYTES = 32;

  /** A line has some 200 bytes. */
  private static final int LONGEST_RECORD = 16 * 1024 * 1024;

  /** For how long readers take the store to be where it was seen. */
  private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final String CAUSE =
      "; git checkout, reset and stash do that where git tracks the store (ralph doctor tells)";

  private final Path directory;
  private final SegmentedLog log;

  private volatile @Nullable WitnessPage page;

  /** What must stay in place as long as the store is open; null where that can't be found out. */
  private volatile @Nullable Seen anchor;

  /** The newest segment's file, as the log was seen in it. */
  private volatile @Nullable Seen seen;

  /** When the anchor was seen in its place, on the scale of {@link System#nanoTime}. */
  private volatile long seenThere = System.nanoTime() - TRUSTED_NANOS;

  private volatile long knownLosses;

  /** The place that the log did not reach when the store was opened, or -1. */
  private volatile long missingAtOpening = -1;

  /** What every further use fails with. */
  private volatile @Nullable RalphException failure;

  private record Seen(int segment, Path path, FileIdentity identity) {
    boolean isThere() {
      return identity.isSameFile(FileIdentity.of(path));
    }
  }

  /** What was acknowledged and is not in the log. */
  private record Loss(Entry entry, Damage damage) {}

  private LogWitness(Path directory, SegmentedLog log) {
    this.directory = directory;
    this.log = log;
  }

  /** Returns where the witness of the store in that folder is. */
  public static Path file(Path store) {
    return store.resolve(NAME);
  }

  /** Begins to watch over a log, and logs a warning if something of it is missing already. */
  public static LogWitness open(Path directory, SegmentedLog log) {
    LogWitness witness = new LogWitness(directory, log);
    witness.map(false);
    witness.lookAtOpening();
    return witness;
  }

  /** Prepares for {@link #acknowledged}; the file is made if it is missing. */
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
          .log(System.Logger.Level.DEBUG, "a log that is put back will not be noticed", e);
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
            .log(System.Logger.Level.DEBUG, "no use of " + path, e);
      }
    }
    identity = FileIdentity.of(directory);
    anchor = identity == null ? null : new Seen(0, directory, identity);
  }

  private void lookAtOpening() {
    WitnessPage from = page;
    if (from == null) {
      return;
    }
    knownLosses = from.losses();
    Loss loss = look(from);
    if (loss != null) {
      missingAtOpening = loss.entry.position();
      warn(loss.damage, "; put the file back now if you can: the next append goes on without it");
    }
    for (Damage recorded : recorded()) {
      warn(
          recorded,
          "; put back what is missing by ralph import, then delete "
              + directory.resolve(RECORD)
              + ", which keeps this message");
    }
  }

  private void warn(Damage damage, String whatToDo) {
    System.getLogger(LogWitness.class.getName())
        .log(System.Logger.Level.WARNING, directory + ": " + text(damage) + whatToDo);
  }

  private static String text(Damage damage) {
    return damage.file() + " " + damage.description() + CAUSE;
  }

  // ---- asked by readers and appenders

  /**
   * Checks that the store is where it was opened, and its log as long as it was acknowledged.
   *
   * @throws RalphException NOT_FOUND if the store was deleted, moved or replaced; DAMAGED if its
   *     log was
   */
  public void requireUnchanged() {
    checkedNewest();
  }

  /**
   * Checks as {@link #requireUnchanged()} does; returns how many bytes of log a segment holds,
   * mostly from the same look at its file.
   */
  public long length(int segment) {
    Seen newest = checkedNewest();
    return newest != null && newest.segment == segment
        ? log.length(segment, newest.identity.size())
        : log.length(segment);
  }

  /**
   * Checks all; returns the newest segment as it is now, or null where that was not looked at.
   *
   * <p>Where its file is the one that it was, the store has hardly been deleted or moved. So
   * whether the witness is in its place, too, is looked up only now and then: a read costs one
   * look.
   */
  private @Nullable Seen checkedNewest() {
    requireNoFailure();
    WitnessPage from = page;
    Seen newest = from == null ? null : newest(from.entry());
    if (newest == null || System.nanoTime() - seenThere > TRUSTED_NANOS) {
      requireThere();
    }
    if (from == null) {
      map(false); // somebody may have begun to append meanwhile
      from = page;
    }
    if (from == null) {
      return null;
    }
    requireSameLosses(from);
    if (newest == null) {
      requireStands(from);
    }
    return newest;
  }

  /**
   * Returns why the store's lock could not be taken: where somebody put back the log together with
   * the lock's file, that, because it says what happened; the failure itself otherwise.
   */
  public RuntimeException reason(RuntimeException failure) {
    try {
      requireUnchanged();
      return failure;
    } catch (RalphException changed) {
      return changed;
    }
  }

  private void requireStands(WitnessPage from) {
    Loss loss = lookTwice(from, from.entry());
    if (loss != null && loss.entry.position() != missingAtOpening) {
      throw fail(damaged(loss));
    }
  }

  /**
   * Checks that the store is where it was opened.
   *
   * @throws RalphException NOT_FOUND if it was deleted, moved or replaced
   */
  public void requireThere() {
    requireNoFailure();
    Seen there = anchor;
    if (there != null && !there.isThere()) {
      throw fail(StoreLock.gone(directory));
    }
    seenThere = System.nanoTime();
  }

  /**
   * Checks that the log is as long as it was acknowledged, before something is decided on it and
   * appended. Under the store's lock. A loss that is found is recorded, so that those who open the
   * store afterwards go on with what is there.
   *
   * @throws RalphException DAMAGED if the log was put back while it was open here
   */
  public void check() {
    requireNoFailure();
    WitnessPage to = page;
    if (to == null) {
      return;
    }
    requireSameLosses(to);
    Loss loss = look(to);
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
   * Checks what {@link #check()} does, but for a look at the log: {@link #checkWritten} has one.
   * Only before a write that is not decided on what is in the log.
   */
  public void checkNotices() {
    requireNoFailure();
    WitnessPage from = page;
    if (from != null) {
      requireSameLosses(from);
    }
  }

  /**
   * Checks that what was written stands where others find it, before it is acknowledged. Under the
   * store's lock.
   *
   * @param file what was written to
   * @param length how many bytes the file must have now
   * @throws RalphException NOT_FOUND if the store was deleted, moved or replaced; DAMAGED if its
   *     log was. What was written may stand elsewhere then
   */
  public void checkWritten(SegmentFile file, long length) {
    if (!file.isInPlace(length)) {
      requireThere();
      check();
      throw fail(StoreLock.gone(directory));
    }
  }

  /**
   * Takes note of a batch at the end of the log. Under the store's lock.
   *
   * @param position where it ends
   * @param bytes what stands in the log before that
   * @param length how many of them count
   */
  public void acknowledged(long position, byte[] bytes, int length) {
    WitnessPage to = page;
    if (to != null) {
      to.acknowledge(
          position, length < CHECKED_BYTES ? WitnessPage.NO_CHECK : check(bytes, length));
    }
  }

  /**
   * Returns whether that is where the log ended when a batch was last acknowledged, by any process.
   * Under the store's lock.
   */
  public boolean isAcknowledgedEnd(long position) {
    WitnessPage from = page;
    return from != null && from.entry().position() == position;
  }

  /** Takes note that the log is durable up to there. */
  public void synced(long position) {
    WitnessPage to = page;
    if (to != null) {
      to.synced(position);
    }
  }

  /** Returns what was acknowledged once and is not in the log. */
  public List<Damage> losses() {
    List<Damage> losses = recorded();
    WitnessPage from = page;
    Loss loss = from == null ? null : look(from);
    if (loss != null && loss.damage.bytes() > 0) {
      losses.add(loss.damage);
    }
    return losses;
  }

  /** Lets go of the page. Nothing may be asked any more. */
  @Override
  public void close() {
    page = null; // the platform unmaps it once nobody refers to it
  }

  // ---- failing

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
          recorded.isEmpty() ? "the log was put back" : text(recorded.get(recorded.size() - 1));
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
            + ". What was read before may be wrong, so nothing more is read or appended; open the"
            + " store again to go on with what is there");
  }

  // ---- looking

  /** Returns what is missing, or null. One stat of the newest segment, as long as all is well. */
  private @Nullable Loss look(WitnessPage from) {
    Entry entry = from.entry();
    return newest(entry) == null ? lookTwice(from, entry) : null;
  }

  /**
   * Returns the segment that the newest batch stands in, as it is now, if its file is the one that
   * was seen before and long enough; null where it takes a closer look to tell.
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

  private @Nullable Loss lookTwice(WitnessPage from, Entry entry) {
    if (entry.position() == 0) {
      return null;
    }
    int segment = SegmentPosition.segment(entry.position());
    Loss loss = lookClosely(entry, segment);
    if (loss != null && !from.entry().equals(entry)) {
      return look(from); // what was acknowledged last may have been erased in between
    }
    // A roll file may have been renamed in between, so look again before saying so.
    return loss == null ? null : lookClosely(entry, segment);
  }

  private @Nullable Loss lookClosely(Entry entry, int segment) {
    Path path = log.file(segment).toPath();
    FileIdentity now = FileIdentity.of(path);
    if (!stands(entry)) {
      return new Loss(entry, missing(entry));
    }
    Seen before = seen;
    if (now == null) {
      return null; // it may not be seen
    }
    if (before != null && before.segment == segment && !before.identity.isSameFile(now)) {
      String name = name(path);
      return new Loss(entry, new Damage(name, 0, 0, 0, "was replaced while it was in use"));
    }
    seen = new Seen(segment, path, now);
    return null;
  }

  /** Returns whether the log holds what was acknowledged up to there, as far as one can see. */
  private boolean stands(Entry entry) {
    long offset = SegmentPosition.offset(entry.position());
    File file = log.file(SegmentPosition.segment(entry.position()));
    try (RandomAccessFile in = log.files().openToRead(file)) {
      if (in.length() < offset) {
        return false;
      }
      if (entry.check() == WitnessPage.NO_CHECK || offset < CHECKED_BYTES) {
        return true;
      }
      byte[] bytes = new byte[CHECKED_BYTES];
      in.seek(offset - CHECKED_BYTES);
      in.readFully(bytes);
      return check(bytes, CHECKED_BYTES) == entry.check()
          || directory.resolve(ERASING).toFile().exists(); // then they may be half erased
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
      return new Damage(name, 0, reached, 1, "is gone; it had " + reached + " bytes");
    }
    if (now.size() < reached) {
      return new Damage(
          name,
          now.size(),
          reached - now.size(),
          1,
          "has " + now.size() + " bytes, but " + reached + " were acknowledged");
    }
    return new Damage(
        name, 0, reached, 1, "does not hold what was acknowledged up to byte " + reached);
  }

  private String name(Path path) {
    return directory.relativize(path).toString().replace('\\', '/');
  }

  // ---- the record of losses

  /** Adds a line: time, position and checksum, the damage. */
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
    if (text != null) { // what is too large is none of ours, and stays as it is
      log.files().writeAtomically(file, (text + line).getBytes(StandardCharsets.UTF_8), true);
    }
  }

  /** Returns what is recorded, or null if that is more than a store ever records. */
  private @Nullable String recordText() {
    try {
      byte[] text = log.files().read(directory.resolve(RECORD), LONGEST_RECORD);
      return text == null ? null : new String(text, StandardCharsets.UTF_8);
    } catch (IOException none) {
      return "";
    }
  }

  /** Returns the recorded losses whose bytes are not in their place again. */
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
        if (entry.position() > 0 && !stands(entry)) {
          losses.add(
              new Damage(
                  words[5],
                  Long.parseLong(words[3]),
                  Long.parseLong(words[4]),
                  1,
                  words[6] + " on " + words[0]));
        }
      } catch (NumberFormatException notOurs) {
        // a line that a person wrote
      }
    }
    return losses;
  }
}
