package dev.ralph.agentmail;

import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.LockedException;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a mailbox, shared with AgentMail's programs: BSD {@code flock}. Java's file locks do
 * not exclude it, so a child process holds the lock. The child exits when its standard input
 * closes, and therefore also when this process dies.
 *
 * <p>Threads of this process first acquire a Java lock, to wait without child processes.
 */
final class MailboxLock implements AutoCloseable {

  /** The maximum wait for threads of this process; each may have waited for other processes. */
  private static final long OWN_TIMEOUT_SECONDS = 30;

  /** Acquires the lock, then echoes its input. */
  private static final String PERL =
      "use Fcntl ':flock'; my $f; open($f, '<', $ARGV[0]) && flock($f, LOCK_EX) or die \"$!\\n\";"
          + " $| = 1; print while <STDIN>;";

  private static final List<String> BY_FLOCK = List.of("flock", "-x");
  private static final List<String> BY_PERL = List.of("perl", "-e", PERL);

  private static final Map<Path, ReentrantLock> OWN = new ConcurrentHashMap<>();

  private final ReentrantLock own;
  private final Process holder;

  private MailboxLock(ReentrantLock own, Process holder) {
    this.own = own;
    this.holder = holder;
  }

  /**
   * Acquires the lock of an existing file.
   *
   * @throws LockedException if a single process kept the lock, or the holder is stopped
   * @throws RalphException UNSUPPORTED if no locking program is installed; IO if locking failed
   */
  static MailboxLock of(Path file) {
    ReentrantLock own = OWN.computeIfAbsent(file, path -> new ReentrantLock(true));
    try {
      if (!own.tryLock(OWN_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new LockedException(
            file + " is locked by another thread of this process; nothing was done. Try again", 0);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.io("interrupted while waiting for the lock of " + file);
    }
    boolean taken = false;
    try {
      MailboxLock lock = new MailboxLock(own, holder(file));
      taken = true;
      return lock;
    } finally {
      if (!taken) {
        own.unlock();
      }
    }
  }

  private static Process holder(Path file) {
    Process child = start(BY_FLOCK, file.toString(), "cat");
    if (child == null) {
      child = start(BY_PERL, file.toString());
    }
    if (child == null) {
      throw RalphException.unsupported(
          "cannot acquire the mailbox lock: neither flock nor perl is on the PATH; nothing was"
              + " done. Install util-linux or perl");
    }
    try (FlockPatience patience = new FlockPatience(child, file)) {
      String refusal = refusal(child);
      if (refusal == null) {
        return child;
      }
      end(child);
      LockedException locked = patience.refusal();
      throw locked != null ? locked : RalphException.io("can't lock " + file + ": " + refusal);
    }
  }

  /** Returns whether a command line belongs to a lock-holding child. */
  static boolean isHolder(String commandLine) {
    return commandLine.startsWith(String.join(" ", BY_FLOCK))
        || commandLine.startsWith(String.join(" ", BY_PERL));
  }

  private static @Nullable Process start(List<String> words, String... more) {
    List<String> command = new ArrayList<>(words);
    command.addAll(List.of(more));
    try {
      return ProcessSpec.command(command).mergeStderr().build().startOnPipes();
    } catch (RalphException noSuchProgram) {
      return null;
    }
  }

  /**
   * Waits for the child to acquire the lock; returns null, or the output of a child that failed.
   */
  private static @Nullable String refusal(Process child) {
    try {
      OutputStream in = child.getOutputStream();
      in.write('\n');
      in.flush();
    } catch (IOException ended) {
      // the child has ended, and its output below contains the reason
    }
    try {
      InputStream out = child.getInputStream();
      int first = out.read();
      if (first == '\n') {
        return null;
      }
      String output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
      return first < 0
          ? "the locking program exited without output"
          : (char) first + output.strip();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static void end(Process child) {
    try {
      child.getOutputStream().close();
      child.getInputStream().close();
    } catch (IOException gone) {
      // the child has ended, which has released the lock
    }
  }

  /** Returns whether the lock is still held; the child may have been killed. */
  boolean isHeld() {
    return holder.isAlive();
  }

  /** Releases the lock. */
  @Override
  public void close() {
    end(holder);
    own.unlock();
  }
}
