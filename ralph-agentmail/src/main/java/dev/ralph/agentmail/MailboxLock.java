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
 * The lock of a mailbox that AgentMail's own programs take as well: BSD {@code flock}. The locks of
 * this platform's files are of another kind, which excludes none of that, so a child process holds
 * it. The child ends when its standard input does, and so when this process does, however that
 * happens.
 *
 * <p>Within this process a lock of the platform comes first, so that threads wait for each other
 * without a child each.
 */
final class MailboxLock implements AutoCloseable {

  /** How long to wait for threads of this process; each may have waited for others. */
  private static final long OWN_PATIENCE_SECONDS = 30;

  /** Sends back what it is sent, once it has the lock. */
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
   * Takes the lock of a file that is there.
   *
   * @throws LockedException if one process held it all the time, or is stopped
   * @throws RalphException UNSUPPORTED if there is no program to take it with; IO if that failed
   */
  static MailboxLock of(Path file) {
    ReentrantLock own = OWN.computeIfAbsent(file, path -> new ReentrantLock(true));
    try {
      if (!own.tryLock(OWN_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new LockedException(
            "another thread of this program keeps " + file + " locked; nothing was done", 0);
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
          "the lock that AgentMail's programs share can't be taken, because there is neither flock"
              + " nor perl on the PATH; nothing was done. Install util-linux or perl");
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

  /** Returns whether a process of that command line may hold a lock for a program like this. */
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

  /** Waits until the child has the lock and returns null, or what it says if it ended without. */
  private static @Nullable String refusal(Process child) {
    try {
      OutputStream in = child.getOutputStream();
      in.write('\n');
      in.flush();
    } catch (IOException ended) {
      // It has said why.
    }
    try {
      InputStream out = child.getInputStream();
      int first = out.read();
      if (first == '\n') {
        return null;
      }
      String said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
      return first < 0 ? "the program that locks has ended" : (char) first + said.strip();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static void end(Process child) {
    try {
      child.getOutputStream().close();
      child.getInputStream().close();
    } catch (IOException gone) {
      // Then it holds nothing any more.
    }
  }

  /** Returns whether the lock is still held: somebody may have killed its holder. */
  boolean isHeld() {
    return holder.isAlive();
  }

  /** Gives the lock back. */
  @Override
  public void close() {
    end(holder);
    own.unlock();
  }
}
