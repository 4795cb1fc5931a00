package dev.ralph.core.internal.loop;

import dev.ralph.RecordEntry;
import dev.ralph.Redactor;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.core.internal.text.Excerpt;
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
 * Keeps what an agent says in one iteration, and the record of what it does: appended in pieces,
 * both together, when there is enough or when the loop's thread comes by. A store that fails for a
 * while costs nothing; what it can't take in the end is given up, never the iteration.
 *
 * <p>For any number of threads.
 */
final class Transcript {

  private static final System.Logger LOG = System.getLogger(Transcript.class.getPackageName());

  /** Large enough that the frame around it does not matter. */
  private static final int PIECE = 8 * 1024;

  /** Small enough for every store. */
  private static final int LARGEST_PIECE = 64 * 1024;

  /** What is held while the store fails; beyond it the newest is dropped. */
  private static final int MOST_HELD = 1024 * 1024;

  /** An agent in an endless loop of its own must not fill the disk. */
  private static final long MOST_KEPT = 32L * 1024 * 1024;

  /** A block that is longer is not waited for. */
  private static final int LONGEST_BLOCK = 16 * 1024;

  /** What a tool answers may be a whole file, and stands there as well. */
  private static final int LONGEST_TEXT = 16 * 1024;

  /** Longer than any model reads, and short enough for every store. */
  private static final int LONGEST_PROMPT = 4 * 1024 * 1024;

  /** What waits to be appended; for the holder of the lock. */
  private static final class Waiting {
    private final StringBuilder lines = new StringBuilder();
    private long taken;
    private boolean full;

    /**
     * Adds a line or several.
     *
     * @param rest a line that stands for all that is too much
     * @param others how much else is held
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

  /** What was said and may still be in the middle of a secret. */
  @GuardedBy("lock")
  private final Waiting said = new Waiting();

  /** What is redacted, and waits to be appended. */
  @GuardedBy("lock")
  private final StringBuilder held = new StringBuilder();

  /** What was done, redacted, an entry a line. */
  @GuardedBy("lock")
  private final Waiting done = new Waiting();

  /** What the record begins with, as long as it waits to be appended. */
  @GuardedBy("lock")
  private @Nullable Draft begin;

  @GuardedBy("lock")
  private boolean ended;

  /**
   * @param hasRecord whether what the agent does is kept, besides what it says
   */
  Transcript(
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

  /** Adds a line or several that the agent said. */
  void add(String text) {
    lock.lock();
    try {
      if (!ended) {
        said.add(
            text, "[the rest was not kept: more than " + MOST_KEPT + " characters]", held.length());
        appendIfEnough();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins the record, with what the agent is asked.
   *
   * @param role what the iteration is for, in a word; null where the loop has only one role
   * @param budget of the run, and what is used of it; null where it has none
   */
  void begin(@Nullable String role, String prompt, Path folder, @Nullable Meta budget) {
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

  /** Adds something that the agent did. */
  void add(RecordEntry entry) {
    if (!hasRecord) {
      return;
    }
    String line = json(entry.redacted(text -> kept(text, LONGEST_TEXT))).json();
    if (line.length() > LARGEST_PIECE) {
      line = gap(entry.type().word() + " of " + line.length() + " characters was not kept");
    }
    lock.lock();
    try {
      if (!ended) {
        done.add(line, gap("the rest was not kept: more than " + MOST_KEPT + " characters"), 0);
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

  /** First redacted, then cut: of half a key nobody can tell what it is. */
  private String kept(String text, int longest) {
    return Excerpt.cut(LogText.unicode(redactor.redact(text)), longest);
  }

  /** Appends what is held; what the store does not take now stays for the next time. */
  void flush() {
    lock.lock();
    try {
      append(false);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the record, and appends what is held, or gives it up.
   *
   * @param folder that the agent worked in
   */
  void close(Path folder) {
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
      // Nobody misses the last entry, where that is all.
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
        // Without its last line break, which the log puts back.
        pieces.add(iterations.said(iteration, held.substring(0, text), held.charAt(text) != '\n'));
      }
      int entries = endOfPiece(done.lines);
      if (entries >= 0) {
        pieces.add(iterations.recorded(iteration, Meta.empty(), done.lines.substring(0, entries)));
      }
      try {
        iterations.keep(pieces);
      } catch (IndeterminateException e) {
        // They may stand there already: better a gap than the same words twice.
      } catch (RalphException e) {
        LOG.log(Level.DEBUG, "a piece of the transcript has to wait", e);
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

  /** Returns where a block begins that has not ended yet, such as a key; the end if none does. */
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
   * Returns the end of the last line that fits into a piece, or cuts a line that does not; -1 where
   * nothing waits.
   */
  private static int endOfPiece(StringBuilder waiting) {
    if (waiting.length() <= LARGEST_PIECE) {
      return waiting.length() - 1;
    }
    int lineEnd = waiting.lastIndexOf("\n", LARGEST_PIECE);
    return lineEnd > 0 ? lineEnd : Excerpt.end(waiting, LARGEST_PIECE);
  }
}
