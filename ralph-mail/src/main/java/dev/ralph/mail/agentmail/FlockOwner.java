package dev.ralph.mail.agentmail;

import dev.ralph.LockedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Asks the system who holds the {@code flock} of a file. Linux tells it; others don't. */
final class FlockOwner {

  private static final Path PROC = Path.of("/proc");

  /** What a lock's line begins with where the system tells of an open file. */
  private static final String FILE_LOCK = "lock:";

  private FlockOwner() {}

  /** Returns what to throw where a file was locked by others for too long. */
  static LockedException lockedOut(Path file) {
    long taker = of(file);
    boolean isTakerSeen = taker > 0 && Files.exists(PROC.resolve(String.valueOf(taker)));
    long pid = isTakerSeen ? taker : keeper(file);
    if (pid == 0) {
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
                : taker == 0 || isTakerSeen
                    ? "); look at it with ps "
                    : "), which has the lock from process "
                        + taker
                        + ", which has ended; look at it with ps ")
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
   * Finds a process that keeps the lock, whoever took it: one that is started with the file open
   * has the lock too. Returns 0 if it is out of sight.
   */
  private static long keeper(Path file) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      String inode = ":" + Files.getAttribute(file, "unix:ino");
      for (Path process : processes) {
        if (keeps(process, file, inode)) {
          return Long.parseLong(process.getFileName().toString());
        }
      }
    } catch (IOException | RuntimeException elsewhereThanLinux) {
      return 0;
    }
    return 0;
  }

  private static boolean keeps(Path process, Path file, String inode) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fdinfo"))) {
      for (Path each : open) {
        for (String line : Files.readString(each).split("\n")) {
          if (line.startsWith(FILE_LOCK)
              && isLock(line.substring(FILE_LOCK.length()).trim().split(" +"), inode)
              && Files.isSameFile(process.resolve("fd").resolve(each.getFileName()), file)) {
            return true;
          }
        }
      }
    } catch (IOException | DirectoryIteratorException anotherUsersOrGone) {
      return false;
    }
    return false;
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
