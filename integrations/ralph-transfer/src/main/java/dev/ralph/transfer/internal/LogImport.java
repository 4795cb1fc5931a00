package dev.ralph.transfer.internal;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import dev.ralph.transfer.internal.FrameReader.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Imports the frames of a file into a store, with their ids, times, metadata, contents and order.
 * The file is an export by {@link LogExport}, or the output of {@code xs cat} for a store of
 * ralph.nu.
 *
 * <p>The import checks the whole file before it writes. Frames already in the store are skipped.
 * Therefore a repeated import completes an interrupted import, even after a power failure. Finally
 * the import reads the file again and compares each frame with the store; content that the store
 * has lost is restored. Not thread-safe.
 */
public final class LogImport {

  private static final int BATCH_FRAMES = 500;
  private static final long BATCH_CHARACTERS = 4 << 20;
  private static final int SYNC_ATTEMPTS = 100;

  private final Path file;
  private final Scru128 batchIds = new Scru128(Clock.systemUTC());
  private final SessionNaming sessions = new SessionNaming();
  private final RepeatedFrames repeats = new RepeatedFrames();
  private String name;
  private @Nullable Path contentFolder;
  private MissingContent missingContent = MissingContent.REFUSE;

  private @Nullable ImportReport checked;
  private int largestContent;
  private long largestContentLine;

  private LogImport(Path file) {
    this.file = file;
    this.name = file.toString();
  }

  /** Returns an import of the file, which must not change until the import ends. */
  public static LogImport of(Path file) {
    return new LogImport(file);
  }

  /** Sets the file's name for messages; default is the path. */
  public LogImport named(String name) {
    this.name = name;
    return this;
  }

  /**
   * Sets the folder with the contents that xs frames reference by hash: the store's folder, its
   * {@code cacache}, or the folder written by {@code .export}.
   */
  public LogImport contentIn(Path folder) {
    this.contentFolder = folder;
    return this;
  }

  /**
   * Sets the treatment of frames whose content is missing; default is {@link
   * MissingContent#REFUSE}.
   */
  public LogImport missingContent(MissingContent missingContent) {
    this.missingContent = missingContent;
    return this;
  }

  /**
   * Reads and checks the whole file, without a store. If the report lists problems, {@link #into}
   * writes nothing.
   *
   * @throws RalphException INVALID if the file is not a complete export, with the line; NOT_FOUND
   *     if the file or the content folder is missing; IO if the file cannot be read
   */
  public ImportReport check() {
    ImportReport.Tally tally = new ImportReport.Tally();
    read(
        tally,
        reader -> {
          for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
            tally.frames++;
            repeats.collect(entry);
            int bytes = entry.draft().content().getBytes(StandardCharsets.UTF_8).length;
            if (bytes > largestContent) {
              largestContent = bytes;
              largestContentLine = entry.line();
            }
          }
        });
    if (repeats.arePossible()) {
      read(
          new ImportReport.Tally(), // the first reading has counted all other findings
          reader -> {
            for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
              repeats.compare(entry, tally);
            }
          });
    }
    repeats.settle();
    ImportReport report = tally.report();
    checked = report;
    return report;
  }

  /**
   * Checks the file unless {@link #check} was called, imports it and compares the store with it.
   *
   * @throws RalphException as {@link #check} does, before anything is written; otherwise as {@link
   *     FrameLog#append} does, with the progress in the message. After such a failure the call may
   *     be repeated
   */
  public ImportReport into(FrameLog store) {
    ImportReport before = checked == null ? check() : checked;
    if (before.problemCount() > 0) {
      return before;
    }
    ImportReport.Tally tally = new ImportReport.Tally();
    tally.repeated = before.repeated();
    StoreInfo info = store.info();
    if (largestContent > info.maxContentBytes()) {
      tally.problem(
          largestContentLine,
          null,
          ImportReport.Problem.Kind.CONTENT,
          "the content of "
              + largestContent
              + " bytes exceeds the limit of this store, "
              + info.maxContentBytes()
              + " bytes");
      return tally.report();
    }
    sessions.settle(store);
    tally.renamed.putAll(sessions.renamed());
    Position end = store.last(TopicFilter.all()).map(Frame::position).orElse(Position.START);
    try (Appending appending = new Appending(store, before.frames(), tally)) {
      read(tally, appending::all);
      compare(store, end, before, tally);
      appending.sync();
    }
    tally.verified = tally.problemCount == 0;
    return tally.report();
  }

  private void compare(
      FrameLog store, Position end, ImportReport before, ImportReport.Tally tally) {
    // findings of the reader are counted already
    ImportReport.Tally reread = new ImportReport.Tally();
    try (FrameComparison comparison = new FrameComparison(store, end, batchIds, tally)) {
      read(
          reread,
          reader -> {
            for (Entry entry = nextNew(reader); entry != null; entry = nextNew(reader)) {
              tally.frames++;
              comparison.compare(entry);
            }
          });
    }
    if (tally.frames != before.frames() || reread.problemCount > 0) {
      throw RalphException.invalid(name + " changed during the import; import the file again");
    }
  }

  // ---- reading

  private interface Reading {
    void of(FrameReader reader) throws IOException;
  }

  private void read(ImportReport.Tally tally, Reading reading) {
    if (Files.isDirectory(file)) {
      throw RalphException.invalid(
          name
              + " is a folder; choose a file. For an xs export choose frames.jsonl and add"
              + " --cas");
    }
    try (LineReader lines = new LineReader(file);
        FrameReader reader = open(lines, tally)) {
      reading.of(reader);
    } catch (NoSuchFileException e) {
      throw RalphException.notFound("file not found: " + name);
    } catch (AccessDeniedException e) {
      throw RalphException.io("no permission to read " + name, e);
    } catch (FileSystemException e) {
      throw RalphException.io(name + " can't be read: " + e.getReason(), e);
    } catch (IOException e) {
      throw RalphException.io(name + " can't be read: " + e, e);
    } catch (BadLine e) {
      throw RalphException.invalid(name + ", " + e.getMessage());
    }
  }

  /** Returns the next frame without an earlier copy, or null at the end. */
  private @Nullable Entry nextNew(FrameReader reader) throws IOException {
    Entry entry = reader.next();
    while (entry != null && repeats.include(entry)) {
      entry = reader.next();
    }
    return entry;
  }

  private FrameReader open(LineReader lines, ImportReport.Tally tally) throws IOException {
    JsonLine first = lines.next();
    if (first == null) {
      throw lines.wrong("the file is empty");
    }
    if (first.has(ExportFormat.MARK)) {
      tally.format = RalphReader.NAME;
      return new RalphReader(lines, first, tally);
    }
    if (!first.has("topic") || !first.has("id") || first.has("time")) {
      throw lines.wrong("the file is neither a ralph export nor an xs export");
    }
    tally.format = XsReader.NAME;
    HashedContents contents = contentFolder == null ? null : new HashedContents(contentFolder);
    return new XsReader(lines, first, contents, missingContent, sessions, tally);
  }

  // ---- appending

  /**
   * Appends frames in batches and syncs all of them at the end. Frames already in the store are
   * skipped by reading the store alongside, which is faster than offering each frame to the store.
   */
  private final class Appending implements AutoCloseable {

    private final FrameLog store;
    private final long frames;
    private final ImportReport.Tally tally;
    private final int most;
    private final List<Draft> batch = new ArrayList<>();
    private long characters;

    /** The newest frame of the file by scope. */
    private final Map<String, Draft> newest = new LinkedHashMap<>();

    private Position position = Position.START;
    private final FrameFinder finder;
    private boolean walking;

    Appending(FrameLog store, long frames, ImportReport.Tally tally) {
      this.store = store;
      this.finder = new FrameFinder(store, Position.START);
      this.frames = frames;
      this.tally = tally;
      this.most = Math.min(BATCH_FRAMES, store.info().maxBatchFrames());
    }

    void all(FrameReader reader) throws IOException {
      for (Entry entry = nextNew(reader); entry != null; entry = nextNew(reader)) {
        Draft draft = entry.draft();
        if (newest.isEmpty()) {
          walking = finder.anywhere(id(draft)) != null;
        } else {
          walking = walking && finder.ahead(id(draft)) != null;
        }
        newest.put(draft.topic().scope(), draft);
        if (walking) {
          tally.alreadyThere++;
        } else {
          add(draft);
        }
      }
      flush();
    }

    private String id(Draft imported) {
      return String.valueOf(imported.id());
    }

    private void add(Draft draft) {
      long size = (long) draft.content().length() + draft.meta().json().length();
      boolean fits =
          batch.isEmpty()
              || batch.size() < most
                  && characters + size <= BATCH_CHARACTERS
                  && draft.topic().scope().equals(batch.get(0).topic().scope());
      if (!fits) {
        flush();
      }
      batch.add(draft);
      characters += size;
    }

    private void flush() {
      if (batch.isEmpty()) {
        return;
      }
      Batch imported = Batch.of(batchIds.next(), batch).synced(false);
      Appended appended = append(imported);
      tally.imported += appended.frames().size();
      int held = batch.size() - appended.frames().size();
      tally.alreadyThere += held;
      walking = held > 0 && finder.anywhere(id(batch.get(batch.size() - 1))) != null;
      position = appended.position();
      batch.clear();
      characters = 0;
    }

    /**
     * Makes all imported frames durable, including those of an interrupted import. In each scope an
     * existing frame is appended again on condition that nothing new was appended: a store must
     * sync the frames that an append's condition depends on.
     */
    void sync() {
      newest.forEach((scope, there) -> sync(TopicFilter.ofScope(scope), there));
    }

    private void sync(TopicFilter scope, Draft there) {
      for (int attempt = 0; attempt < SYNC_ATTEMPTS; attempt++) {
        Batch nothingNew =
            Batch.of(batchIds.next(), List.of(there)).onlyIf(new Batch.Condition(scope, position));
        if (!append(nothingNew).isConflict()) {
          return;
        }
        position = end();
      }
      throw RalphException.contended(
          "all frames were imported but not synced, because other processes append too often;"
              + " import the file again");
    }

    /** Returns the end of the log. Behind the last frame, the log may contain damaged bytes. */
    private Position end() {
      Position from = store.last(TopicFilter.all()).map(Frame::position).orElse(position);
      try (FrameCursor cursor = store.read(Query.of(TopicFilter.all()).after(from))) {
        Frame next = cursor.next();
        while (next != null) {
          next = cursor.next();
        }
        return cursor.position();
      }
    }

    private Appended append(Batch batch) {
      try {
        return store.append(batch);
      } catch (RalphException e) {
        boolean isForGood = e.code() == RalphException.Code.INVALID;
        throw e.withMessage(
            "the import stopped after "
                + (tally.imported + tally.alreadyThere)
                + " of "
                + frames
                + " frames: "
                + e.getMessage()
                + (isForGood ? "" : "; repeat the import to import the rest"));
      }
    }

    @Override
    public void close() {
      finder.close();
    }
  }

  /** The treatment of frames whose content is missing. */
  public enum MissingContent {
    /** Imports nothing and lists all such frames. */
    REFUSE,
    /**
     * Imports such a frame with empty content; its metadata member {@code "content_missing"} has
     * the hash of the missing content.
     */
    EMPTY
  }
}
