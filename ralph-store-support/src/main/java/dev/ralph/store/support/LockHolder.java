package dev.ralph.store.support;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Asks the system who holds the lock of a file, and whether that process is stopped. A holder
 * leaves its pid right after taking the lock; one that was stopped in between has left none, and
 * what stands there is another's.
 */
final class LockHolder {

  private static final String LOCKS = "/proc/locks";

  private LockHolder() {}

  /** Returns the pid of the process that holds a lock of that file; 0 where that is not known. */
  static long of(Path file) {
    try {
      Object inode = Files.getAttribute(file, "unix:ino");
      return in(read(LOCKS), inode.toString());
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
  }

  /**
   * Finds the holder in a text such as {@code 1: POSIX ADVISORY WRITE 708 fd:00:1234 0 EOF}. Those
   * who wait for it stand behind an arrow. The device differs from what a file says on some file
   * systems; where several files have that inode, nobody is named.
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
          return 0; // a process out of sight, in another container; or of another file
        }
        holder = pid;
      }
    }
    return holder;
  }

  /**
   * Returns whether that process is stopped, by a signal or a debugger; false where that is not
   * known.
   */
  static boolean isStopped(long pid) {
    try {
      String stat = read("/proc/" + pid + "/stat");
      // "pid (name) state …"; the name may hold blanks and parentheses of its own.
      String state = stat.substring(stat.lastIndexOf(')') + 1).trim();
      return state.startsWith("T") || state.startsWith("t");
    } catch (IOException elsewhereThanLinux) {
      return false;
    }
  }

  /** Reads a file without a channel, which would fail in an interrupted thread. */
  private static String read(String file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
