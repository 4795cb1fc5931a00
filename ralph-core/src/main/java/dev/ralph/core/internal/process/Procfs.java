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
 * What Linux tells of processes in {@code /proc} and {@link ProcessHandle} does not. Elsewhere, and
 * for processes that this user may not look into, every answer is the empty one.
 *
 * <p>Read by {@link FileInputStream}, never by a channel: a channel throws in an interrupted
 * thread, and ending processes has to work in one.
 */
public final class Procfs {

  private static final File ROOT = new File("/proc");
  private static final Set<String> DEFUNCT = Set.of("Z", "X");

  /** Threads of the kernel, which have no environment, are children of these. */
  private static final Set<String> KERNEL_PARENTS = Set.of("0", "2");

  /** The last digit of the flags, which are octal, says what the file was opened for. */
  private static final Pattern FLAGS = Pattern.compile("(?m)^flags:\\s*[0-7]*([0-7])$");

  private static final int MOST_AT_ONCE = 8192;

  private static final int ACCESS = 3;
  private static final int READ_ONLY = 0;

  private Procfs() {}

  /** The ids of the processes that run now, in no particular order. */
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
   * The environment that a process was started with, one char a byte. A process in the midst of an
   * exec, a zombie, a thread of the kernel, and one that overwrote its environment show an empty
   * one.
   *
   * @return null if this user may not see it, or there is no such process
   */
  static @Nullable String environment(long pid) {
    return text(pid, "environ");
  }

  /** The words that a process was started with; null if this user may not see them. */
  public static @Nullable String commandLine(long pid) {
    String line = text(pid, "cmdline");
    return line == null ? null : line.replace('\0', ' ').strip();
  }

  /** Whether there is such a process, zombies included. */
  public static boolean isThere(long pid) {
    return new File(ROOT, String.valueOf(pid)).exists();
  }

  /** Whether a signal has stopped a process. */
  public static boolean isStopped(long pid) {
    String[] fields = stat(pid);
    return fields.length > 0 && fields[0].equals("T");
  }

  /** The parent of a process, 0 where that is not known. */
  public static long parent(long pid) {
    String[] fields = stat(pid);
    return fields.length > 1 ? Long.parseLong(fields[1]) : 0;
  }

  /** The values of a variable in an environment; as a rule one or none. */
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
   * Whether a process is dead and only waits for its parent to notice. {@link
   * ProcessHandle#isAlive()} calls such a process alive, and where nobody reaps, as in many a
   * container, for ever.
   */
  static boolean isZombie(long pid) {
    String[] fields = stat(pid);
    if (fields.length == 0) {
      return false;
    }
    boolean defunct = DEFUNCT.contains(fields[0]);
    // A process whose first thread has ended while others go on shows "Z" too.
    return defunct && (fields.length <= 17 || Integer.parseInt(fields[17]) <= 1);
  }

  /**
   * Whether a process, that shows an empty environment now, may show one in a moment, since it is
   * about to become another program. Also true of one whose environment is empty for good.
   */
  static boolean isInExec(long pid) {
    String[] fields = stat(pid);
    return fields.length > 1 && !DEFUNCT.contains(fields[0]) && !KERNEL_PARENTS.contains(fields[1]);
  }

  /** The open files of a process, each as a link to it; none if this user may not see them. */
  public static List<Path> openFiles(long pid) {
    Path folder = Path.of("/proc", String.valueOf(pid), "fd");
    String[] names = folder.toFile().list();
    return names == null ? List.of() : Arrays.stream(names).map(folder::resolve).toList();
  }

  /** The path of an open file as the system knows it now, or a word for what is no file. */
  static String path(Path openFile) {
    try {
      return Files.readSymbolicLink(openFile).toString();
    } catch (IOException closed) {
      return "";
    }
  }

  /** What the system tells of an open file of a process: a line each for its flags and locks. */
  public static String info(long pid, Path openFile) {
    String info = text(pid, "fdinfo/" + openFile.getFileName());
    return info == null ? "" : info;
  }

  /** Whether the process can write to an open file of its own. */
  static boolean isForWriting(long pid, Path openFile) {
    Matcher flags = FLAGS.matcher(info(pid, openFile));
    return flags.find() && (Integer.parseInt(flags.group(1)) & ACCESS) != READ_ONLY;
  }

  /** The fields from the state on: state, parent, …; none if there is no such process. */
  private static String[] stat(long pid) {
    String stat = text(pid, "stat");
    // "pid (name) state ppid …"; the name may hold blanks and parentheses of its own.
    int nameEnd = stat == null ? -1 : stat.lastIndexOf(')');
    return stat == null || nameEnd < 0
        ? new String[0]
        : stat.substring(nameEnd + 1).trim().split(" ");
  }

  /**
   * Reads by one call as a rule. All processes are looked at whenever one has ended, and to read to
   * the end of a file, whose size the system does not tell, takes several calls.
   */
  private static @Nullable String text(long pid, String file) {
    try (FileInputStream in = new FileInputStream("/proc/" + pid + "/" + file)) {
      byte[] bytes = new byte[MOST_AT_ONCE];
      int length = 0;
      int read = in.read(bytes);
      while (read > 0) {
        length += read;
        if (length < bytes.length) {
          break; // the system gives all that there is
        }
        bytes = Arrays.copyOf(bytes, 2 * length);
        read = in.read(bytes, length, length);
      }
      // One byte, one char: nothing is malformed, and the marks looked for are ASCII.
      return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    } catch (IOException goneOrNotOurs) {
      return null;
    }
  }
}
