package dev.ralph.transfer;

import dev.ralph.log.Appended;
import dev.ralph.log.Batch;
import dev.ralph.log.Draft;
import dev.ralph.log.Durability;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import dev.ralph.transfer.FrameReader.Entry;
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
 * Puts the frames of a file into a store: ids, times, meta data, contents and their order are kept.
 * The file is one that {@link LogExport} wrote, or what {@code xs cat} printed of a store of
 * ralph.nu.
 *
 * <p>The file is checked as a whole before anything is written. Frames that the store holds are
 * left out, so that an import which was interrupted, even by a power cut, is completed by doing it
 * again. Afterwards the file is read once more beside the store, and every frame compared; a
 * content that the store has lost is put back. For one thread.
 */
public final class LogImport {

  private static final int BATCH_FRAMES = 500;
  private static final long BATCH_CHARACTERS = 4 << 20;
  private static final int SYNC_ATTEMPTS = 100;

  private final Path file;
  private final Scru128 batchIds = new Scru128(Clock.systemUTC());
  private final SessionNaming sessions = new SessionNaming();
  private final Repeats repeats = new Repeats();
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

  /** Returns the import of that file, which must stay as it is until the end. */
  public static LogImport of(Path file) {
    return new LogImport(file);
  }

  /** Says what messages call the file; its path if not set. */
  public LogImport named(String name) {
    this.name = name;
    return this;
  }

  /**
   * Says where the content lies that the frames of xs name by its hash: the folder of the store,
   * its {@code cacache}, or the folder that {@code .export} made.
   */
  public LogImport contentIn(Path folder) {
    this.contentFolder = folder;
    return this;
  }

  /** Says what becomes of frames without their content; they are refused if not set. */
  public LogImport missingContent(MissingContent missingContent) {
    this.missingContent = missingContent;
    return this;
  }

  /**
   * Reads the whole file and needs no store. Problems that it lists keep {@link #into} from writing
   * anything.
   *
   * @throws RalphException INVALID if the file is not an export, or not a whole one, naming the
   *     line; NOT_FOUND if there is no such file or folder; IO if it can't be read
   */
  public ImportReport check() {
    ImportReport.Tally tally = new ImportReport.Tally();
    read(
        tally,
        reader -> {
          for (Entry entry = reader.next(); entry != null; entry = reader.next()) {
            tally.frames++;
            repeats.look(entry);
            int bytes = entry.draft().content().getBytes(StandardCharsets.UTF_8).length;
            if (bytes > largestContent) {
              largestContent = bytes;
              largestContentLine = entry.line();
            }
          }
        });
    if (repeats.arePossible()) {
      read(
          new ImportReport.Tally(), // what a reader finds is counted above
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
   * Checks the file, unless that was done, imports it, and compares what the store holds then.
   *
   * @throws RalphException as {@link #check} does, nothing was written then; else as {@link
   *     FrameLog#append} does, with a message that says how far it came. It may be called again
   *     then
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
          "its content has "
              + largestContent
              + " bytes, and this store takes "
              + info.maxContentBytes()
              + " at most");
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
    ImportReport.Tally reread = new ImportReport.Tally(); // what a reader finds was counted before
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
      throw RalphException.invalid(name + " changed while it was imported; import it again");
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
              + " is a folder, and an export is a file; that of xs is its frames.jsonl, with"
              + " --cas");
    }
    try (LineReader lines = new LineReader(file);
        FrameReader reader = open(lines, tally)) {
      reading.of(reader);
    } catch (NoSuchFileException e) {
      throw RalphException.notFound("there is no file " + name);
    } catch (AccessDeniedException e) {
      throw RalphException.io(name + " may not be read", e);
    } catch (FileSystemException e) {
      throw RalphException.io(name + " can't be read: " + e.getReason(), e);
    } catch (IOException e) {
      throw RalphException.io(name + " can't be read: " + e, e);
    } catch (BadLine e) {
      throw RalphException.invalid(name + ", " + e.getMessage());
    }
  }

  /** Returns the next frame that the file does not have before, or null behind the last. */
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
      throw lines.wrong("this begins neither an export of ralph nor one of xs");
    }
    tally.format = XsReader.NAME;
    HashedContents contents = contentFolder == null ? null : new HashedContents(contentFolder);
    return new XsReader(lines, first, contents, missingContent, sessions, tally);
  }

  // ---- appending

  /**
   * Appends in batches, as large as stores like them, and makes all of it durable at the end. Where
   * the store has the frames it walks along them, as it would take long to have it refuse each.
   */
  private final class Appending implements AutoCloseable {

    private final FrameLog store;
    private final long frames;
    private final ImportReport.Tally tally;
    private final int most;
    private final List<Draft> batch = new ArrayList<>();
    private long characters;

    /** The newest frame of each scope in the file. */
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
      Batch imported = Batch.of(batchIds.next(), batch).durability(Durability.OS);
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
     * Makes everything durable, what an interrupted import left here included: for each scope by an
     * append of a frame that is there already, on condition that nothing has come since, because a
     * store has to keep what an append was decided on.
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
          "every frame was imported, but others write so much that it can't be made sure to last;"
              + " import it again");
    }

    /** Returns where the log ends, which is behind its last frame where that is damaged. */
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
                + (isForGood ? "" : "; importing again completes it"));
      }
    }

    @Override
    public void close() {
      finder.close();
    }
  }

  /** What becomes of a frame whose content can't be had. */
  public enum MissingContent {
    /** Nothing is imported, and every such frame is listed. */
    REFUSE,
    /**
     * The frame is imported without content, and its meta data says {@code "content_missing"} with
     * the hash of what it was.
     */
    EMPTY
  }
}
