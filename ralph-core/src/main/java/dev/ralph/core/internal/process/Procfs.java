package dev.ralph.core.internal.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads information about processes from {@code /proc} on Linux that {@link ProcessHandle} lacks.
 * On other systems, and for unreadable processes, all results are empty.
 *
 * <p>The files are read with {@link FileInputStream}. A channel would throw in an interrupted
 * thread, in which processes must still be ended.
 */
public final class Procfs {

  private static final File ROOT = new File("/proc");
  private static final Set<String> DEFUNCT = Set.of("Z", "X");

  /** The parents of kernel threads, which have no environment. */
  private static final Set<String> KERNEL_PARENTS = Set.of("0", "2");

  /** The last digit of the octal flags, which is the access mode. */
  private static final Pattern FLAGS = Pattern.compile("(?m)^flags:\\s*[0-7]*([0-7])$");

  private static final int MOST_AT_ONCE = 8192;

  private static final int ACCESS = 3;
  private static final int READ_ONLY = 0;

  private Procfs() {}

  /** Returns the ids of the present processes, in no particular order. */
  public static List<Long> pids() {
    List<Long> pids = new ArrayList<>();
    String[] names = ROOT.list();
    if (names != null) {
      for (String name : names) {
        if (name.chars().allMatch(c -> c >= '0' && c <= '9')) {
          pids.add(Long.parseLong(name));
        }
      }
    }
    return pids;
  }

  /**
   * Returns the initial environment of a process, one char per byte. The environment is empty
   * during an exec, for a zombie, a kernel thread, and a process that overwrote it.
   *
   * @return null if the environment is unreadable, or there is no such process
   */
  static @Nullable String environment(long pid) {
    return text(pid, "environ");
  }

  /** Returns the command line of a process; null if it is unreadable. */
  public static @Nullable String commandLine(long pid) {
    String line = text(pid, "cmdline");
    return line == null ? null : line.replace('\0', ' ').strip();
  }

  /** Returns whether a process exists; zombies exist. */
  public static boolean isThere(long pid) {
    return new File(ROOT, String.valueOf(pid)).exists();
  }

  /** Returns whether a process is stopped by a signal. */
  public static boolean isStopped(long pid) {
    String[] fields = stat(pid);
    return fields.length > 0 && fields[0].equals("T");
  }

  /** Returns the parent of a process, 0 if it is unknown. */
  public static long parent(long pid) {
    String[] fields = stat(pid);
    return fields.length > 1 ? Long.parseLong(fields[1]) : 0;
  }

  /** Returns the values of a variable in an environment; usually one or none. */
  static List<String> variable(String environment, String name) {
    String prefix = name + "=";
    if (!environment.contains(prefix)) {
      return List.of();
    }
    return Arrays.stream(environment.split("\0"))
        .filter(entry -> entry.startsWith(prefix))
        .map(entry -> entry.substring(prefix.length()))
        .toList();
  }

  /**
   * Returns whether a process is dead, but not yet reaped by its parent. {@link
   * ProcessHandle#isAlive()} returns true for such a process. In containers without a reaper, a
   * zombie stays forever.
   */
  static boolean isZombie(long pid) {
    String[] fields = stat(pid);
    if (fields.length == 0) {
      return false;
    }
    boolean defunct = DEFUNCT.contains(fields[0]);
    // A process whose first thread has ended while other threads run also has the state "Z".
    return defunct && (fields.length <= 17 || Integer.parseInt(fields[17]) <= 1);
  }

  /**
   * Returns whether a process with an empty environment may be in the middle of an exec. Also true
   * for a process whose environment stays empty.
   */
  static boolean isInExec(long pid) {
    String[] fields = stat(pid);
    return fields.length > 1 && !DEFUNCT.contains(fields[0]) && !KERNEL_PARENTS.contains(fields[1]);
  }

  /**
   * Returns the open files of a process, each as a link to the file; empty if they are unreadable.
   */
  public static List<Path> openFiles(long pid) {
    Path folder = Path.of("/proc", String.valueOf(pid), "fd");
    String[] names = folder.toFile().list();
    return names == null ? List.of() : Arrays.stream(names).map(folder::resolve).toList();
  }

  /**
   * Returns the present path of an open file, or the system's name of an open object without a
   * path.
   */
  static String path(Path openFile) {
    try {
      return Files.readSymbolicLink(openFile).toString();
    } catch (IOException closed) {
      return "";
    }
  }

  /**
   * Returns the system's information about an open file: a line for the flags and for each lock.
   */
  public static String info(long pid, Path openFile) {
    String info = text(pid, "fdinfo/" + openFile.getFileName());
    return info == null ? "" : info;
  }

  /** Returns whether a process has opened a file for writing. */
  static boolean isForWriting(long pid, Path openFile) {
    Matcher flags = FLAGS.matcher(info(pid, openFile));
    return flags.find() && (Integer.parseInt(flags.group(1)) & ACCESS) != READ_ONLY;
  }

  /** Returns the fields after the name: state, parent, …; empty if the process does not exist. */
  private static String[] stat(long pid) {
    String stat = text(pid, "stat");
    // "pid (name) state ppid …"; the name may contain spaces and parentheses.
    int nameEnd = stat == null ? -1 : stat.lastIndexOf(')');
    return stat == null || nameEnd < 0
        ? new String[0]
        : stat.substring(nameEnd + 1).trim().split(" ");
  }

  /**
   * Reads a whole file with few calls, because each end of a process reads the files of all
   * processes. The size of a file is unknown before the read.
   */
  private static @Nullable String text(long pid, String file) {
    try (FileInputStream in = new FileInputStream("/proc/" + pid + "/" + file)) {
      byte[] bytes = new byte[MOST_AT_ONCE];
      int length = 0;
      int read = in.read(bytes);
      while (read > 0) {
        length += read;
        if (length < bytes.length) {
          break; // the system returns all available bytes
        }
        bytes = Arrays.copyOf(bytes, 2 * length);
        read = in.read(bytes, length, length);
      }
      // One char per byte, so that every file can be decoded. The marks are ASCII.
      return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    } catch (IOException goneOrNotOurs) {
      return null;
    }
  }
}
