package dev.ralph.store.support;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds the process that holds a file lock, and its state, from the system. A holder writes its pid
 * after acquiring the lock. A process stopped between these two steps has not written it, and the
 * file still contains the pid of an earlier holder.
 */
final class LockHolder {

  private static final String LOCKS = "/proc/locks";

  private LockHolder() {}

  /** Returns the pid of the process that holds a lock of the file, or 0 if unknown. */
  static long of(Path file) {
    try {
      Object inode = Files.getAttribute(file, "unix:ino");
      return in(read(LOCKS), inode.toString());
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
  }

  /**
   * Finds the holder in lines such as {@code 1: POSIX ADVISORY WRITE 708 fd:00:1234 0 EOF}. In
   * lines of waiting processes an arrow precedes the type. On some file systems the device differs
   * from the file's device, so only the inode is compared. Returns 0 if locks of several files have
   * this inode.
   */
  static long in(String locks, String inode) {
    long holder = 0;
    for (String line : locks.split("\n")) {
      String[] words = line.trim().split(" +");
      boolean isHeld =
          words.length >= 6
              && words[1].equals("POSIX")
              && words[3].equals("WRITE")
              && words[5].endsWith(":" + inode);
      if (isHeld) {
        long pid = Long.parseLong(words[4]);
        if (pid <= 0 || holder != 0 && holder != pid) {
          return 0; // a process in another container, or locks of several files
        }
        holder = pid;
      }
    }
    return holder;
  }

  /**
   * Returns true if a signal or a debugger has stopped the process; false if the state is unknown.
   */
  static boolean isStopped(long pid) {
    try {
      String stat = read("/proc/" + pid + "/stat");
      // "pid (name) state …"; the name may contain spaces and parentheses.
      String state = stat.substring(stat.lastIndexOf(')') + 1).trim();
      return state.startsWith("T") || state.startsWith("t");
    } catch (IOException elsewhereThanLinux) {
      return false;
    }
  }

  /** Reads a file without a channel, because a channel fails in an interrupted thread. */
  private static String read(String file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
