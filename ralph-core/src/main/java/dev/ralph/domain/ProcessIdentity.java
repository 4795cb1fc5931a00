package dev.ralph.domain;

import dev.ralph.log.Meta;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a process of a machine in frames. The start time distinguishes the process from a
 * later process with the same id. The start is measured from the boot of the machine if the system
 * reports it, because that time does not depend on the clock. Immutable; safe for use by many
 * threads.
 *
 * @param host the name of the machine
 * @param pid the process id
 * @param started the start time in milliseconds since 1970, or 0 if unknown
 * @param boot the id of the machine's present boot, or null if unknown
 * @param ticks the start time in kernel ticks since the boot, or 0 if unknown
 * @param space the id of the PID namespace, because a container has its own process ids, often
 *     under the same host name; null if unknown
 */
public record ProcessIdentity(
    String host,
    long pid,
    long started,
    @Nullable String boot,
    long ticks,
    @Nullable String space) {

  /** The tolerance of start times, because the boot time is known to the second only. */
  private static final long START_TOLERANCE_MILLIS = 2_000;

  /** The indexes of fields of {@code /proc/PID/stat} after the name of the process. */
  private static final int STATE_FIELD = 0;

  private static final int THREADS_FIELD = 17;
  private static final int START_FIELD = 19;

  /** Creates the identity of a process without boot, ticks and namespace. */
  public ProcessIdentity(String host, long pid, long started) {
    this(host, pid, started, null, 0, null);
  }

  /** Returns the identity of this process. */
  public static ProcessIdentity current() {
    return of(ProcessHandle.current());
  }

  /** Returns the identity of a process of this machine. */
  public static ProcessIdentity of(ProcessHandle process) {
    return new ProcessIdentity(
        Machine.NAME,
        process.pid(),
        startOf(process),
        Machine.BOOT,
        number(stat(process.pid()), START_FIELD),
        Machine.SPACE);
  }

  /** Returns the process in a frame's metadata, or null. */
  public static @Nullable ProcessIdentity of(Meta meta) {
    String host = meta.string("host");
    long pid = meta.integer("pid").orElse(0);
    return host == null || pid < 1
        ? null
        : new ProcessIdentity(
            host,
            pid,
            meta.integer("started").orElse(0),
            meta.string("boot"),
            meta.integer("ticks").orElse(0),
            meta.string("pid_ns"));
  }

  /** Returns the metadata with this process. */
  public Meta in(Meta meta) {
    Meta named = meta.with("host", host).with("pid", pid).with("started", started);
    Meta timed = boot == null || ticks == 0 ? named : named.with("boot", boot).with("ticks", ticks);
    return timed.with("pid_ns", space);
  }

  /**
   * Returns whether this machine can check the process: the process belongs to this machine, and to
   * the same container if there are containers.
   */
  public boolean isHere() {
    return host.equals(Machine.NAME) && (isEarlierBoot() || isSameSpace());
  }

  /** Returns whether the machine was rebooted since, so that the process has ended. */
  private boolean isEarlierBoot() {
    return boot != null && ticks != 0 && Machine.BOOT != null && !boot.equals(Machine.BOOT);
  }

  private boolean isSameSpace() {
    return space == null || space.equals(Machine.SPACE);
  }

  /**
   * Returns whether the process is running. Returns true for processes of another machine or
   * container, which can't be checked. A zombie process does not run.
   */
  public boolean isLive() {
    if (!isHere()) {
      return true;
    }
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (isEarlierBoot() || process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    String[] stat = stat(pid);
    if (isZombie(stat)) {
      return false;
    }
    if (boot != null && ticks != 0 && Machine.BOOT != null) {
      long ticksThere = number(stat, START_FIELD);
      if (ticksThere != 0) {
        return ticks == ticksThere;
      }
    }
    long there = startOf(process.get());
    return started == 0 || there == 0 || Math.abs(there - started) <= START_TOLERANCE_MILLIS;
  }

  /** Returns whether this is the identity of the calling process. */
  public boolean isCurrent() {
    return isHere() && pid == ProcessHandle.current().pid() && isLive();
  }

  private static long startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /**
   * Returns whether a process is a zombie. A process whose main thread has ended also shows "Z".
   */
  private static boolean isZombie(String[] stat) {
    boolean isDefunct = stat[STATE_FIELD].equals("Z") || stat[STATE_FIELD].equals("X");
    return isDefunct && number(stat, THREADS_FIELD) <= 1;
  }

  /** Returns the fields from the state on: state, parent, …; one empty field outside Linux. */
  private static String[] stat(long pid) {
    String stat = read("/proc/" + pid + "/stat");
    // "pid (name) state ppid …"; the name may contain blanks and parentheses.
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
  }

  private static long number(String[] stat, int field) {
    try {
      return stat.length > field ? Long.parseLong(stat[field]) : 0;
    } catch (NumberFormatException unknownSystem) {
      return 0;
    }
  }

  /** Returns the stripped text of a small system file; empty if it is missing, as outside Linux. */
  private static String read(String file) {
    // A channel would fail on an interrupted thread.
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException none) {
      return "";
    }
  }

  /** The identity of this machine, read on first use without a name server. */
  private static final class Machine {
    private static final String NAME = name();
    private static final @Nullable String BOOT = boot();
    private static final @Nullable String SPACE = space();

    private static String name() {
      String kernel = read("/proc/sys/kernel/hostname");
      if (!kernel.isEmpty()) {
        return kernel;
      }
      for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
        String value = System.getenv(variable);
        if (value != null && !value.isBlank()) {
          return value;
        }
      }
      return "localhost";
    }

    private static @Nullable String boot() {
      String id = read("/proc/sys/kernel/random/boot_id");
      return id.isEmpty() ? null : id;
    }

    private static @Nullable String space() {
      try {
        return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
      } catch (IOException | UnsupportedOperationException unknownSystem) {
        return null;
      }
    }
  }
}
