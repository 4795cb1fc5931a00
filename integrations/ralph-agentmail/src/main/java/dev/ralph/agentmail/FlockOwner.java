package dev.ralph.agentmail;

import dev.ralph.core.internal.process.Procfs;
import dev.ralph.log.LockedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The process that holds the {@code flock} of a file, found in Linux's {@code /proc}. */
final class FlockOwner {

  private static final Path LOCKS = Path.of("/proc/locks");

  /** The prefix of a line that describes a lock in an open file's information. */
  private static final String FILE_LOCK = "lock:";

  private final Path file;

  /** The process that acquired the lock, 0 if unknown. */
  private final long taker;

  /** The holder of the lock, or the parent of a holding child; 0 if unknown. */
  private final long holder;

  private FlockOwner(Path file, long taker, long holder) {
    this.file = file;
    this.taker = taker;
    this.holder = holder;
  }

  /** Finds the present owner of a file's lock. */
  static FlockOwner of(Path file) {
    long taker = taker(file);
    long holder = taker > 0 && Procfs.isThere(taker) ? taker : inheritor(file);
    if (holder > 0) {
      // Report the parent, because a child holds the lock only on the parent's behalf.
      long parent = Procfs.parent(holder);
      holder = parent > 1 && MailboxLock.isHolder(commandLine(holder)) ? parent : holder;
    }
    return new FlockOwner(file, taker, holder);
  }

  /** Returns the process that acquired the lock, 0 if unknown. */
  long taker() {
    return taker;
  }

  /** Returns whether the holder is stopped by a signal and so cannot release the lock. */
  boolean isStopped() {
    return holder > 0 && Procfs.isStopped(holder);
  }

  /** Returns the exception for a wait that failed. */
  LockedException lockedOut() {
    if (holder == 0) {
      return new LockedException(
          file
              + " is locked by a process of unknown id"
              + (taker == 0
                  ? " that keeps the lock"
                  : ": process " + taker + ", or a child that inherited the lock")
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
                ? "), a stopped process; continue with kill -CONT "
                : taker == 0 || Procfs.isThere(taker)
                    ? "); inspect with ps "
                    : "), with a lock inherited from ended process " + taker + "; inspect with ps ")
            + holder
            + "; nothing was done",
        holder);
  }

  /**
   * Parses lines such as {@code 1: FLOCK ADVISORY WRITE 708 fd:00:1234 0 EOF}. Lines of waiting
   * processes contain an arrow.
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
    // Inode numbers repeat on other disks, and a process of another container has pid 0 here.
    return holders.size() == 1 && holders.get(0) > 0 ? holders.get(0) : 0;
  }

  private static boolean isLock(String[] words, String inode) {
    return words.length > 5 && words[1].equals("FLOCK") && words[5].endsWith(inode);
  }

  /**
   * Finds a process with the locked file open; child processes inherit the lock. Returns 0 if no
   * such process is visible.
   */
  private static long inheritor(Path file) {
    try {
      String inode = ":" + Files.getAttribute(file, "unix:ino");
      for (long pid : Procfs.pids()) {
        if (hasLocked(pid, file, inode)) {
          return pid;
        }
      }
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
    return 0;
  }

  private static boolean hasLocked(long pid, Path file, String inode) {
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
