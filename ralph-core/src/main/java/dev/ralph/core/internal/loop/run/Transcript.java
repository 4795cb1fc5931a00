package dev.ralph.core.internal.loop.run;

import dev.ralph.RecordEntry;
import dev.ralph.Redactor;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.text.LogText;
import dev.ralph.core.internal.text.TextExcerpt;
import dev.ralph.log.Draft;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the output of an agent in one iteration, and the record of its actions. Both are appended
 * together in pieces, when enough text is collected or when the loop's thread calls {@link #flush}.
 * A temporary failure of the store loses nothing. Text that the store finally refuses is dropped,
 * without affecting the iteration.
 *
 * <p>Safe for use by many threads.
 */
public final class Transcript {

  private static final System.Logger LOG = System.getLogger(Transcript.class.getPackageName());

  /**
   * The length of collected text, in characters, at which a frame is appended. At this length the
   * overhead of a frame is negligible.
   */
  private static final int PIECE = 8 * 1024;

  /** The maximum length of a frame's text in characters, small enough for all stores. */
  private static final int LARGEST_PIECE = 64 * 1024;

  /**
   * The limit of text held during a failure of the store; beyond it, the newest text is dropped.
   */
  private static final int MOST_HELD = 1024 * 1024;

  /** The limit per iteration, so that an agent in an endless loop cannot fill the disk. */
  private static final long MOST_KEPT = 32L * 1024 * 1024;

  /** The length of the longest block for whose end redaction waits. */
  private static final int LONGEST_BLOCK = 16 * 1024;

  /** The limit of a text in the record, because the reply of a tool may be a whole file. */
  private static final int LONGEST_TEXT = 16 * 1024;

  /**
   * The maximum length of a recorded prompt in characters, longer than the input of any model and
   * short enough for all stores.
   */
  private static final int LONGEST_PROMPT = 4 * 1024 * 1024;

  /** Text that waits to be appended; only for the holder of the lock. */
  private static final class Waiting {
    private final StringBuilder lines = new StringBuilder();
    private long taken;
    private boolean full;

    /**
     * Adds a line or several.
     *
     * @param rest a line that replaces all text beyond the limit
     * @param others the number of characters held elsewhere
     */
    void add(String text, String rest, int others) {
      if (full) {
        return;
      }
      taken += text.length() + 1;
      full = taken > MOST_KEPT;
      if (full || lines.length() + others < MOST_HELD) {
        lines.append(full ? rest : text).append('\n');
      }
    }
  }

  private final LedgerIterationLog iterations;
  private final int iteration;
  private final Redactor redactor;
  private final Clock clock;
  private final boolean hasRecord;
  private final ReentrantLock lock = new ReentrantLock();

  /** Output that may end in the middle of a secret. */
  @GuardedBy("lock")
  private final Waiting said = new Waiting();

  /** Redacted output that waits to be appended. */
  @GuardedBy("lock")
  private final StringBuilder held = new StringBuilder();

  /** The redacted record, one entry per line. */
  @GuardedBy("lock")
  private final Waiting done = new Waiting();

  /** The first entry of the record, while it waits to be appended. */
  @GuardedBy("lock")
  private @Nullable Draft begin;

  @GuardedBy("lock")
  private boolean ended;

  /**
   * @param hasRecord whether the agent's actions are kept, in addition to the output
   */
  public Transcript(
      LedgerIterationLog iterations,
      int iteration,
      Redactor redactor,
      Clock clock,
      boolean hasRecord) {
    this.iterations = iterations;
    this.iteration = iteration;
    this.redactor = redactor;
    this.clock = clock;
    this.hasRecord = hasRecord;
  }

  /** Adds a line or several of the agent's output. */
  public void add(String text) {
    lock.lock();
    try {
      if (!ended) {
        said.add(text, "[truncated after " + MOST_KEPT + " characters]", held.length());
        appendIfEnough();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins the record with the prompt.
   *
   * @param role the name of the role; null if the loop has only one role
   * @param budget the budget of the run and its usage; null without a budget
   */
  public void begin(@Nullable String role, String prompt, Path folder, @Nullable Meta budget) {
    if (!hasRecord) {
      return;
    }
    String text = kept(prompt, LONGEST_PROMPT);
    Meta place = Meta.empty().with("role", role).with("folder", LogText.unicode(folder.toString()));
    Meta data = GitHead.of(folder).in(place).with("budget", budget);
    Meta meta = json(new RecordEntry(RecordEntry.Type.BEGIN, data, null));
    lock.lock();
    try {
      begin = iterations.recorded(iteration, meta, text);
    } finally {
      lock.unlock();
    }
  }

  /** Adds an action of the agent. */
  public void add(RecordEntry entry) {
    if (!hasRecord) {
      return;
    }
    String line = json(entry.redacted(text -> kept(text, LONGEST_TEXT))).json();
    if (line.length() > LARGEST_PIECE) {
      line = gap(entry.type().word() + " of " + line.length() + " characters was truncated");
    }
    lock.lock();
    try {
      if (!ended) {
        done.add(line, gap("the rest was truncated: more than " + MOST_KEPT + " characters"), 0);
        appendIfEnough();
      }
    } finally {
      lock.unlock();
    }
  }

  private String gap(String reason) {
    return json(LedgerIterationLog.gap(reason, null)).json();
  }

  private Meta json(RecordEntry entry) {
    return entry.at(clock.instant().truncatedTo(ChronoUnit.MILLIS)).json();
  }

  /** Redact before cutting, because a cut key cannot be recognised. */
  private String kept(String text, int longest) {
    return TextExcerpt.cut(LogText.unicode(redactor.redact(text)), longest);
  }

  /** Appends the held text; text that the store refuses now is kept for the next call. */
  public void flush() {
    lock.lock();
    try {
      append(false);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the record, and appends the held text or drops it.
   *
   * @param folder the agent's folder
   */
  public void close(Path folder) {
    String end =
        hasRecord
            ? json(new RecordEntry(RecordEntry.Type.END, GitHead.of(folder).in(Meta.empty()), null))
                .json()
            : "";
    lock.lock();
    try {
      if (hasRecord && !ended) {
        done.lines.append(end).append('\n');
      }
      ended = true;
      append(true);
      // The last entry alone is not worth a warning.
      int lost = held.length() + Math.max(0, done.lines.length() - end.length() - 1);
      if (lost > 0) {
        LOG.log(
            Level.WARNING,
            "the end of the transcript of iteration "
                + iteration
                + " is lost: "
                + lost
                + " characters");
        held.setLength(0);
        done.lines.setLength(0);
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void appendIfEnough() {
    if (said.lines.length() + held.length() + done.lines.length() >= PIECE) {
      append(false);
    }
  }

  @GuardedBy("lock")
  private void append(boolean all) {
    redact(all ? said.lines.length() : endOfWhole());
    while (begin != null || held.length() > 0 || done.lines.length() > 0) {
      List<Draft> pieces = new ArrayList<>();
      if (begin != null) {
        pieces.add(begin);
      }
      int text = endOfPiece(held);
      if (text >= 0) {
        // Without its last line break, which the log adds again.
        pieces.add(iterations.part(iteration, held.substring(0, text), held.charAt(text) != '\n'));
      }
      int entries = endOfPiece(done.lines);
      if (entries >= 0) {
        pieces.add(iterations.recorded(iteration, Meta.empty(), done.lines.substring(0, entries)));
      }
      try {
        iterations.keep(pieces);
      } catch (IndeterminateException e) {
        // The frames may have been appended, and a gap is better than repeated text.
      } catch (RalphException e) {
        LOG.log(Level.DEBUG, "can't append a part of the transcript now", e);
        return;
      }
      begin = null;
      drop(held, text);
      drop(done.lines, entries);
    }
  }

  private static void drop(StringBuilder waiting, int end) {
    if (end >= 0) {
      waiting.delete(0, waiting.charAt(end) == '\n' ? end + 1 : end);
    }
  }

  /** Returns the start of an unfinished block, such as a key; otherwise the end of the text. */
  @GuardedBy("lock")
  private int endOfWhole() {
    StringBuilder lines = said.lines;
    int begin = lines.lastIndexOf("-----BEGIN ");
    boolean waits =
        begin >= 0
            && lines.indexOf("-----END ", begin) < 0
            && lines.length() - begin < LONGEST_BLOCK;
    return waits ? begin : lines.length();
  }

  @GuardedBy("lock")
  private void redact(int end) {
    if (end == 0) {
      return;
    }
    String text = said.lines.substring(0, end);
    said.lines.delete(0, end);
    held.append(LogText.unicode(redactor.redact(text)));
  }

  /**
   * Returns the end of the last line that fits into a piece, or a cut within a longer line; -1 if
   * there is no text.
   */
  private static int endOfPiece(StringBuilder waiting) {
    if (waiting.length() <= LARGEST_PIECE) {
      return waiting.length() - 1;
    }
    int lineEnd = waiting.lastIndexOf("\n", LARGEST_PIECE);
    return lineEnd > 0 ? lineEnd : TextExcerpt.end(waiting, LARGEST_PIECE);
  }
}
