package dev.ralph.mail.agentmail;

import dev.ralph.LockedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Asks the system who holds the {@code flock} of a file. Linux tells it; others don't. */
final class FlockOwner {

  private static final Path PROC = Path.of("/proc");

  private FlockOwner() {}

  /** Returns what to throw where a file was locked by others for too long. */
  static LockedException lockedOut(Path file) {
    long pid = of(file);
    if (pid == 0) {
      return new LockedException(
          file + " is locked by another process that does not let go; nothing was done", 0);
    }
    // The child that holds a lock for this program says nothing; its parent does.
    long parent = number(status(pid, "PPid"));
    if (parent > 1 && MailboxLock.isHolder(commandLine(pid))) {
      pid = parent;
    }
    String holder = commandLine(pid);
    boolean stopped = status(pid, "State").startsWith("T");
    return new LockedException(
        file
            + " is locked by process "
            + pid
            + " ("
            + (holder.length() <= 80 ? holder : holder.substring(0, 80) + "…")
            + (stopped
                ? "), which is stopped; continue it with kill -CONT "
                : "); look at it with ps ")
            + pid
            + "; nothing was done",
        pid);
  }

  /**
   * Finds the holder in lines such as {@code 1: FLOCK ADVISORY WRITE 708 fd:00:1234 0 EOF}. Those
   * who wait for it stand behind an arrow.
   */
  private static long of(Path file) {
    List<Long> holders = new ArrayList<>();
    try {
      String inode = ":" + Files.getAttribute(file, "unix:ino");
      for (String line : Files.readString(PROC.resolve("locks")).split("\n")) {
        String[] words = line.trim().split(" +");
        if (words.length > 5 && words[1].equals("FLOCK") && words[5].endsWith(inode)) {
          holders.add(Long.parseLong(words[4]));
        }
      }
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
    // Files of two disks may have one number, and a process of another container has none here.
    return holders.size() == 1 && holders.get(0) > 0 ? holders.get(0) : 0;
  }

  private static String commandLine(long pid) {
    try {
      Path line = PROC.resolve(pid + "/cmdline");
      return Files.readString(line, StandardCharsets.ISO_8859_1).replace('\0', ' ').strip();
    } catch (IOException outOfSight) {
      return "of another user";
    }
  }

  /** Returns what the system says of a process under a name, or nothing. */
  private static String status(long pid, String name) {
    try {
      for (String line : Files.readAllLines(PROC.resolve(pid + "/status"))) {
        if (line.startsWith(name + ":")) {
          return line.substring(name.length() + 1).strip();
        }
      }
    } catch (IOException outOfSight) {
      // Then nothing is known.
    }
    return "";
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
