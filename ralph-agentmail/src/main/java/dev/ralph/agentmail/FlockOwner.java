package dev.ralph.agentmail;

import dev.ralph.core.internal.process.Procfs;
import dev.ralph.log.LockedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Asks the system who holds the {@code flock} of a file. Linux tells it; others don't. */
final class FlockOwner {

  private static final Path LOCKS = Path.of("/proc/locks");

  /** What a lock's line begins with where the system tells of an open file. */
  private static final String FILE_LOCK = "lock:";

  private final Path file;

  /** The process that took the lock, 0 if that is not known. */
  private final long taker;

  /** The process to look at: one that has the lock, or for which it is held; 0 if not known. */
  private final long holder;

  private FlockOwner(Path file, long taker, long holder) {
    this.file = file;
    this.taker = taker;
    this.holder = holder;
  }

  /** Looks who has the lock of a file now. */
  static FlockOwner of(Path file) {
    long taker = taker(file);
    long holder = taker > 0 && Procfs.isThere(taker) ? taker : keeper(file);
    if (holder > 0) {
      // The child that holds a lock for a program like this says nothing; its parent does.
      long parent = Procfs.parent(holder);
      holder = parent > 1 && MailboxLock.isHolder(commandLine(holder)) ? parent : holder;
    }
    return new FlockOwner(file, taker, holder);
  }

  /** Returns the process that took the lock, 0 if that is not known. */
  long taker() {
    return taker;
  }

  /** Returns whether the lock can't be given back, because a signal has stopped its holder. */
  boolean isStopped() {
    return holder > 0 && Procfs.isStopped(holder);
  }

  /** Returns what to throw where it was waited for in vain. */
  LockedException lockedOut() {
    if (holder == 0) {
      return new LockedException(
          file
              + " is locked by another process"
              + (taker == 0
                  ? " that does not let go"
                  : ": process "
                      + taker
                      + ", if it is another user's, or else one that has the lock from it")
              + "; nothing was done",
          0);
    }
    String program = commandLine(holder);
    return new LockedException(
        file
            + " is locked by process "
            + holder
            + " ("
            + (program.length() <= 80 ? program : program.substring(0, 80) + "…")
            + (isStopped()
                ? "), which is stopped; continue it with kill -CONT "
                : taker == 0 || Procfs.isThere(taker)
                    ? "); look at it with ps "
                    : "), which has the lock from process "
                        + taker
                        + ", which has ended; look at it with ps ")
            + holder
            + "; nothing was done",
        holder);
  }

  /**
   * Finds the holder in lines such as {@code 1: FLOCK ADVISORY WRITE 708 fd:00:1234 0 EOF}. Those
   * who wait for it stand behind an arrow.
   */
  private static long taker(Path file) {
    List<Long> holders = new ArrayList<>();
    try {
      String inode = ":" + Files.getAttribute(file, "unix:ino");
      for (String line : Files.readString(LOCKS).split("\n")) {
        String[] words = line.trim().split(" +");
        if (isLock(words, inode)) {
          holders.add(Long.parseLong(words[4]));
        }
      }
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
    // Files of two disks may have one number, and a process of another container has none here.
    return holders.size() == 1 && holders.get(0) > 0 ? holders.get(0) : 0;
  }

  private static boolean isLock(String[] words, String inode) {
    return words.length > 5 && words[1].equals("FLOCK") && words[5].endsWith(inode);
  }

  /**
   * Finds a process that keeps the lock, no matter which one took it: one that is started with the
   * file open has the lock too. Returns 0 if it is out of sight.
   */
  private static long keeper(Path file) {
    try {
      String inode = ":" + Files.getAttribute(file, "unix:ino");
      for (long pid : Procfs.pids()) {
        if (keeps(pid, file, inode)) {
          return pid;
        }
      }
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
    return 0;
  }

  private static boolean keeps(long pid, Path file, String inode) {
    try {
      for (Path open : Procfs.openFiles(pid)) {
        for (String line : Procfs.info(pid, open).split("\n")) {
          if (line.startsWith(FILE_LOCK)
              && isLock(line.substring(FILE_LOCK.length()).trim().split(" +"), inode)
              && Files.isSameFile(open, file)) {
            return true;
          }
        }
      }
    } catch (IOException gone) {
      return false;
    }
    return false;
  }

  private static String commandLine(long pid) {
    String line = Procfs.commandLine(pid);
    return line == null ? "of another user" : line;
  }
}
