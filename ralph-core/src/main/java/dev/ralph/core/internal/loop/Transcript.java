package dev.ralph.core.internal.loop;

import dev.ralph.Redactor;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.text.Excerpt;
import dev.ralph.log.IndeterminateException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.ReentrantLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * Keeps what an agent says in one iteration: appended in pieces, when there is enough of it or when
 * the loop's thread comes by. A store that fails for a while costs nothing; what it can't take in
 * the end is given up, never the iteration.
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

  private final LedgerIterationLog iterations;
  private final int iteration;
  private final Redactor redactor;
  private final ReentrantLock lock = new ReentrantLock();

  /** What was said and may still be in the middle of a secret. */
  @GuardedBy("lock")
  private final StringBuilder said = new StringBuilder();

  /** What is redacted, and waits to be appended. */
  @GuardedBy("lock")
  private final StringBuilder held = new StringBuilder();

  @GuardedBy("lock")
  private long kept;

  @GuardedBy("lock")
  private boolean ended;

  Transcript(LedgerIterationLog iterations, int iteration, Redactor redactor) {
    this.iterations = iterations;
    this.iteration = iteration;
    this.redactor = redactor;
  }

  /** Adds a line or several. */
  void add(String text) {
    lock.lock();
    try {
      if (ended) {
        return;
      }
      kept += text.length() + 1;
      if (kept > MOST_KEPT) {
        ended = true;
        said.append("[the rest was not kept: more than " + MOST_KEPT + " characters]\n");
      } else if (said.length() + held.length() < MOST_HELD) {
        said.append(text).append('\n');
      }
      if (said.length() + held.length() >= PIECE) {
        append(false);
      }
    } finally {
      lock.unlock();
    }
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

  /** Appends what is held, or gives it up. */
  void close() {
    lock.lock();
    try {
      append(true);
      if (held.length() > 0) {
        LOG.log(
            Level.WARNING,
            "the end of the transcript of iteration "
                + iteration
                + " is lost: "
                + held.length()
                + " characters");
        held.setLength(0);
      }
      ended = true;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void append(boolean all) {
    redact(all ? said.length() : endOfWhole());
    while (held.length() > 0) {
      int end = endOfPiece();
      try {
        // Without its last line break, which the log puts back.
        iterations.output(iteration, held.substring(0, end), held.charAt(end) != '\n');
      } catch (IndeterminateException e) {
        // It may stand there already: better a gap than the same words twice.
      } catch (RalphException e) {
        LOG.log(Level.DEBUG, "a piece of the transcript has to wait", e);
        return;
      }
      held.delete(0, held.charAt(end) == '\n' ? end + 1 : end);
    }
  }

  /** Returns where a block begins that has not ended yet, such as a key; the end if none does. */
  @GuardedBy("lock")
  private int endOfWhole() {
    int begin = said.lastIndexOf("-----BEGIN ");
    boolean waits =
        begin >= 0 && said.indexOf("-----END ", begin) < 0 && said.length() - begin < LONGEST_BLOCK;
    return waits ? begin : said.length();
  }

  @GuardedBy("lock")
  private void redact(int end) {
    if (end == 0) {
      return;
    }
    String text = said.substring(0, end);
    said.delete(0, end);
    held.append(LogText.unicode(redactor.redact(text)));
  }

  /** Returns the end of the last line that fits into a piece, or cuts a line that does not. */
  @GuardedBy("lock")
  private int endOfPiece() {
    if (held.length() <= LARGEST_PIECE) {
      return held.length() - 1;
    }
    int lineEnd = held.lastIndexOf("\n", LARGEST_PIECE);
    return lineEnd > 0 ? lineEnd : Excerpt.end(held, LARGEST_PIECE);
  }
}
