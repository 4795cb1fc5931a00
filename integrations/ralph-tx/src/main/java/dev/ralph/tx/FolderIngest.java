package dev.ralph.tx;

import dev.ralph.core.internal.process.FileWriters;
import dev.ralph.core.internal.process.ThreadEnd;
import dev.ralph.log.ClosedException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.store.support.internal.file.FolderWatch;
import dev.ralph.store.support.internal.file.FolderWatch.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ingests the files of a folder as they appear, on its own thread. Ingests a file once the file is
 * complete: unchanged for a moment, not open for writing by a visible process, and with a valid
 * message. The log records the ingested files, so only new files are read.
 */
final class FolderIngest implements AutoCloseable {

  private static final long STILL = Duration.ofMillis(50).toNanos();

  /**
   * Delay of the check for writers: long enough for most writers to end, and before a file is due.
   */
  private static final long WRITTEN = STILL / 2;

  /** Report a writer that keeps a file open longer than this. */
  private static final long LONG_WRITER = Duration.ofSeconds(10).toNanos();

  /**
   * Report an unreadable file that has not changed for longer than this. Its writer may be slow.
   */
  private static final long SLOW_WRITER = Duration.ofSeconds(2).toNanos();

  private static final long RETRY = Duration.ofSeconds(1).toNanos();

  /**
   * Interval of scans of the whole folder. Notifications report new files at once, and the cost of
   * a scan grows with the folder.
   */
  private static final long SCAN_INTERVAL = Duration.ofSeconds(10).toNanos();

  /** Delete an unsent part file that is older than this: its process was killed. */
  private static final Duration LEFT_OVER = Duration.ofDays(1);

  /**
   * The observed state of a pending file.
   *
   * @param since the time of the first observation of this state, by {@link System#nanoTime()}
   * @param due the time of the next check
   * @param isClosed whether no process had the file open for writing since then
   */
  private record Pending(
      long size, FileTime time, @Nullable Object key, long since, long due, boolean isClosed) {

    static Pending of(BasicFileAttributes file, long now) {
      return new Pending(
          file.size(), file.lastModifiedTime(), file.fileKey(), now, now + WRITTEN, false);
    }

    boolean isLike(Pending other) {
      return size == other.size
          && time.equals(other.time)
          && String.valueOf(key).equals(String.valueOf(other.key));
    }

    Pending dueAt(long due) {
      return new Pending(size, time, key, since, due, isClosed);
    }

    Pending closed() {
      return new Pending(size, time, key, since, since + STILL, true);
    }
  }

  private final TxFolder folder;
  private final FileLog log;
  private final Consumer<TxEvent> events;
  private final Set<String> ignored;
  private final FolderWatch watch;
  private final Thread worker;
  private final BlockingQueue<Change> changes = new LinkedBlockingQueue<>();

  // Only for the worker thread:
  private final ListedFolder listed;
  private final Map<String, Pending> pending = new LinkedHashMap<>();

  /** The times since which files have been open for writing, by {@link System#nanoTime()}. */
  private final Map<String, Long> written = new HashMap<>();

  /** Files that could not be ingested, in the state of that attempt. */
  private final Map<String, Pending> stuck = new HashMap<>();

  private long lastScan;
  private boolean mended;
  private @Nullable String warned;

  /**
   * Creates an intake that is not started.
   *
   * @param ignored the names of files to ignore
   */
  FolderIngest(TxFolder folder, FileLog log, Set<String> ignored, Consumer<TxEvent> events) {
    this.folder = folder;
    this.listed = new ListedFolder(folder);
    this.log = log;
    this.ignored = new HashSet<>(ignored);
    this.events = events;
    this.watch = new FolderWatch(folder.messages());
    this.worker = new Thread(this::work, "ralph-tx-intake");
    worker.setDaemon(true);
  }

  void start() {
    changes.add(new Change(Set.of(), false));
    watch.start(changes::add);
    worker.start();
  }

  private void work() {
    try {
      while (true) {
        Change change =
            pending.isEmpty() ? changes.take() : changes.poll(untilDue(), TimeUnit.NANOSECONDS);
        try {
          for (Change next = change; next != null; next = changes.poll()) {
            take(next);
          }
          ingestDue();
        } catch (ClosedException e) {
          return;
        } catch (NotFoundException e) {
          warn(e); // the store was removed, and stays removed
          return;
        } catch (RuntimeException e) {
          warn(e);
        }
      }
    } catch (InterruptedException closed) {
      // Closed: the interrupt ends the thread.
    }
  }

  private long untilDue() {
    long now = System.nanoTime();
    long wait = Long.MAX_VALUE;
    for (Pending seen : pending.values()) {
      wait = Math.min(wait, seen.due - now);
    }
    return Math.max(0, wait);
  }

  private void take(Change change) {
    long now = System.nanoTime();
    if (!change.isAll()) {
      scanFolder();
      return;
    }
    for (String name : change.files()) {
      if (TxFolder.isMessage(name) && !ignored.contains(name)) {
        notice(name, now);
      }
    }
    boolean isTime = now - lastScan > SCAN_INTERVAL;
    if (change.files().isEmpty() && isTime && listed.mayHaveChanged()) {
      scanFolder();
    }
  }

  private void notice(String name, long now) {
    Pending seen = attributes(folder, name, now);
    Pending before = pending.get(name);
    if (seen == null) {
      pending.remove(name);
    } else if (before == null || !before.isLike(seen)) {
      pending.put(
          name, before != null && written.containsKey(name) ? seen.dueAt(before.due) : seen);
    }
  }

  private static @Nullable Pending attributes(TxFolder folder, String name, long now) {
    try {
      return Pending.of(Files.readAttributes(folder.file(name), BasicFileAttributes.class), now);
    } catch (NoSuchFileException gone) {
      return null;
    } catch (IOException e) {
      throw RalphException.io("cannot examine " + folder.file(name) + ": " + e.getMessage(), e);
    }
  }

  /** Scans the folder for files without a notification, in the order in which they were written. */
  private void scanFolder() {
    lastScan = System.nanoTime();
    String[] names = listed.list();
    if (!mended) {
      mend(names);
      mended = true;
    }
    Map<String, Pending> found = unknown(folder, names, log, ignored);
    found.keySet().removeAll(pending.keySet());
    found.forEach(
        (name, seen) -> {
          Pending stuckAt = stuck.get(name);
          if (stuckAt == null || !stuckAt.isLike(seen)) {
            pending.put(name, seen);
          }
        });
  }

  /**
   * Publishes part files that the log contains, and removes old part files that were never sent.
   */
  private void mend(String[] names) {
    FileObservations known = log.sightings();
    Instant leftOver = Instant.now().minus(LEFT_OVER);
    for (String part : names) {
      String name = TxWriter.ofPart(part);
      if (name == null) {
        continue;
      }
      if (known.ofFile(name) >= 0) {
        folder.publish(name);
      } else if (folder.asideSince(name).isBefore(leftOver)) {
        folder.withdraw(name);
      }
    }
  }

  /** Returns the files that the log does not contain, in the order in which they were written. */
  private static Map<String, Pending> unknown(
      TxFolder folder, String[] names, FileLog log, Set<String> ignored) {
    FileObservations known = log.sightings();
    long now = System.nanoTime();
    List<Map.Entry<String, Pending>> found = new ArrayList<>();
    for (String name : names) {
      if (TxFolder.isMessage(name) && !known.knows(name) && !ignored.contains(name)) {
        Pending seen = attributes(folder, name, now);
        if (seen != null) {
          found.add(Map.entry(name, seen));
        }
      }
    }
    found.sort(
        Comparator.comparing((Map.Entry<String, Pending> entry) -> entry.getValue().time)
            .thenComparing(Map.Entry::getKey));
    Map<String, Pending> ordered = new LinkedHashMap<>();
    found.forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
    return ordered;
  }

  /** Returns the events that files outside the log would cause; changes nothing. */
  static List<TxEvent> preview(TxFolder folder, FileLog log) {
    TxTexts texts = new TxTexts();
    FileObservations known = log.sightings();
    List<TxEvent> events = new ArrayList<>();
    for (String name : unknown(folder, folder.allNames(), log, Set.of()).keySet()) {
      try {
        TxFile file = folder.read(name);
        if (!known.isNews(file)) {
          continue;
        }
        FileObservation sighting = log.preview(known, file);
        boolean isFirst =
            sighting.kind() != TxEvent.Kind.TAKEN || texts.classify(file) == TxTexts.Novelty.NEW;
        events.add(
            isFirst
                ? sighting.event()
                : FileObservation.of(
                        TxEvent.Kind.OTHER_TEXT, file, "the first text with this msg-id is valid")
                    .event());
      } catch (RalphException e) {
        events.add(
            new TxEvent(TxEvent.Kind.UNREADABLE, name, null, String.valueOf(e.getMessage())));
      }
    }
    return events;
  }

  /** Checks the files that are due, and ingests the complete files together. */
  private void ingestDue() throws InterruptedException {
    findWriters();
    long now = System.nanoTime();
    Map<String, TxFile> whole = new LinkedHashMap<>();
    for (String name : List.copyOf(pending.keySet())) {
      Pending before = pending.get(name);
      if (before == null || !before.isClosed || before.due - now > 0) {
        continue;
      }
      if (whole.size() == log.mostTogether()) {
        break; // more files may have arrived meanwhile
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Pending seen = attributes(folder, name, System.nanoTime());
      if (seen == null) {
        pending.remove(name);
      } else if (!seen.isLike(before)) {
        pending.put(name, seen);
      } else {
        pending.put(name, before.dueAt(now + RETRY)); // if the rest fails
        read(name, before, now, whole);
      }
    }
    if (!whole.isEmpty()) {
      takeUp(List.copyOf(whole.values()));
      whole.keySet().forEach(pending::remove);
      warned = null;
    }
  }

  /**
   * Checks which pending files are open for writing. Checks all candidates if one of them is due.
   */
  private void findWriters() {
    long now = System.nanoTime();
    Map<Path, String> unseen = new HashMap<>();
    boolean isDue = false;
    for (Map.Entry<String, Pending> each : pending.entrySet()) {
      Pending seen = each.getValue();
      if (!seen.isClosed && (seen.due - now <= 0 || written.containsKey(each.getKey()))) {
        unseen.put(folder.file(each.getKey()), each.getKey());
        isDue |= seen.due - now <= 0;
      }
    }
    written.keySet().retainAll(pending.keySet());
    if (!isDue) {
      return;
    }
    Map<Path, Long> writers = FileWriters.of(unseen.keySet());
    for (Map.Entry<Path, String> each : unseen.entrySet()) {
      String name = each.getValue();
      Pending seen = Objects.requireNonNull(pending.get(name), name);
      Long writer = writers.get(each.getKey());
      if (writer == null) {
        written.remove(name);
        pending.put(name, seen.closed());
      } else {
        postpone(name, seen, writer);
      }
    }
  }

  /** Postpones a file that a process has open for writing. */
  private void postpone(String name, Pending seen, long writer) {
    long now = System.nanoTime();
    long lasted = now - written.computeIfAbsent(name, begun -> now);
    // The pause grows with the time that the file has been open.
    pending.put(name, seen.dueAt(now + Math.max(WRITTEN, Math.min(lasted / 4, RETRY))));
    if (lasted > LONG_WRITER && !log.sightings().knows(name)) {
      String why =
          "process "
              + writer
              + " has the file open for writing; delivery waits until"
              + " the file is closed";
      note(new FileObservation(TxEvent.Kind.FAILED, name, null, null, TxMessage.EMPTY, why));
    }
  }

  /**
   * Reads a file that no process is writing.
   *
   * @param whole receives the file if it can be ingested; otherwise the file is checked again
   *     later, or never
   */
  private void read(String name, Pending seen, long now, Map<String, TxFile> whole) {
    TxFile file;
    try {
      OneLine.require("the file name", name, Integer.MAX_VALUE);
      file = folder.read(name).withoutBody();
    } catch (RalphException e) {
      if (now - seen.since < SLOW_WRITER) {
        pending.put(name, seen.dueAt(seen.since + SLOW_WRITER));
        return;
      }
      stuck.put(name, seen);
      String why = String.valueOf(e.getMessage());
      note(new FileObservation(TxEvent.Kind.UNREADABLE, name, null, null, TxMessage.EMPTY, why));
      pending.remove(name);
      return;
    }
    stuck.remove(name);
    FileObservations known = log.sightings();
    if (known.isNews(file)) {
      String obstacle = log.obstacle(file);
      if (obstacle == null) {
        whole.put(name, file);
      } else {
        note(FileObservation.of(TxEvent.Kind.FAILED, file, obstacle)); // checked again later
      }
      return;
    }
    FileObservation last = known.lastOfFile(name);
    FileObservation taken = known.firstTaken(file.id());
    boolean hasExpired =
        last != null
            && last.kind() == TxEvent.Kind.EXPIRED
            && taken != null
            && taken.file().equals(name)
            && file.sha256().equals(taken.sha256());
    if (last != null && !hasExpired && !file.sha256().equals(last.sha256())) {
      note(FileObservation.of(TxEvent.Kind.CHANGED, file, changed(known, last, file)));
    } else if (!known.knows(name)) {
      stuck.put(name, seen);
    }
    pending.remove(name);
  }

  /** Ingests files. Skips files that can't be sent. */
  private void takeUp(List<TxFile> files) {
    try {
      log.takeUp(files).forEach(sighting -> events.accept(sighting.event()));
    } catch (RalphException e) {
      if (e.code() != RalphException.Code.INVALID) {
        throw e;
      }
      if (files.size() == 1) {
        note(
            FileObservation.of(TxEvent.Kind.REFUSED, files.get(0), String.valueOf(e.getMessage())));
        return;
      }
      int half = files.size() / 2;
      takeUp(files.subList(0, half));
      takeUp(files.subList(half, files.size()));
    }
  }

  private static String changed(FileObservations known, FileObservation last, TxFile file) {
    if (last.kind() == TxEvent.Kind.GONE) {
      return "file was missing at its delivery; write the message again with a new msg-id";
    }
    String id = file.message().id();
    return id == null || known.firstTaken(id) != null
        ? "the message is not delivered again"
        : "its text with the msg-id "
            + id
            + " is not delivered; write that message to a separate file";
  }

  private void note(FileObservation sighting) {
    if (log.note(sighting)) {
      events.accept(sighting.event());
    }
  }

  private void warn(RuntimeException e) {
    String text = String.valueOf(e.getMessage());
    if (!text.equals(warned)) {
      warned = text;
      events.accept(new TxEvent(TxEvent.Kind.WARNING, folder.messages().toString(), null, text));
    }
  }

  @Override
  public void close() {
    watch.close();
    worker.interrupt();
    ThreadEnd.await(worker);
  }
}
