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
 * One process of one machine, by which a frame can say who does something, for as long as that
 * process lives. Immutable; safe for use by many threads. Its start tells it from a later process
 * of the same number. It is counted from the machine's own start where the system tells that,
 * because setting the clock moves every other measure.
 *
 * @param host the machine's name
 * @param pid the process there
 * @param started when the process was started, in milliseconds since 1970, or 0 where not known
 * @param boot names the run of the machine's kernel, or null where not known
 * @param ticks when the process was started, in the kernel's ticks since that run began, or 0 where
 *     not known
 * @param space names the numbering of processes that the pid belongs to, because a container has
 *     one of its own, often under the same host name; null where not known
 */
public record ProcessIdentity(
    String host,
    long pid,
    long started,
    @Nullable String boot,
    long ticks,
    @Nullable String space) {

  /** Systems count a process's start from their own, which is known to the second only. */
  private static final long START_TOLERANCE_MILLIS = 2_000;

  /** Where things stand in a process's line of Linux, counted from after its name. */
  private static final int STATE_FIELD = 0;

  private static final int THREADS_FIELD = 17;
  private static final int START_FIELD = 19;

  /** Makes the identity of a process whose start is known by the clock only. */
  public ProcessIdentity(String host, long pid, long started) {
    this(host, pid, started, null, 0, null);
  }

  /** Returns the present process. */
  public static ProcessIdentity current() {
    return of(ProcessHandle.current());
  }

  /** Returns a process of this machine. */
  public static ProcessIdentity of(ProcessHandle process) {
    return new ProcessIdentity(
        Machine.NAME,
        process.pid(),
        startOf(process),
        Machine.BOOT,
        number(stat(process.pid()), START_FIELD),
        Machine.SPACE);
  }

  /** Returns the process that a frame names, or null if it names none. */
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

  /** Returns the meta data with this process named in it. */
  public Meta in(Meta meta) {
    Meta named = meta.with("host", host).with("pid", pid).with("started", started);
    Meta timed = boot == null || ticks == 0 ? named : named.with("boot", boot).with("ticks", ticks);
    return timed.with("pid_ns", space);
  }

  /**
   * Returns whether the process is, or was, one that can be looked for from here: of this machine,
   * and of the same container where there are such.
   */
  public boolean isHere() {
    return host.equals(Machine.NAME) && (isEarlierBoot() || isSameSpace());
  }

  /** What ran before the machine was started again is gone, in every container. */
  private boolean isEarlierBoot() {
    return boot != null && ticks != 0 && Machine.BOOT != null && !boot.equals(Machine.BOOT);
  }

  private boolean isSameSpace() {
    return space == null || space.equals(Machine.SPACE);
  }

  /**
   * Returns whether the process runs; true if it is of another machine or container, where nobody
   * can tell. One that is dead and that its parent has not taken note of yet does not run.
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

  /** Returns whether this is the process that asks. */
  public boolean isCurrent() {
    return isHere() && pid == ProcessHandle.current().pid() && isLive();
  }

  private static long startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** A process whose first thread has ended while others go on shows "Z" too. */
  private static boolean isZombie(String[] stat) {
    boolean isDefunct = stat[STATE_FIELD].equals("Z") || stat[STATE_FIELD].equals("X");
    return isDefunct && number(stat, THREADS_FIELD) <= 1;
  }

  /** Returns the fields from the state on: state, parent, …; an empty one outside Linux. */
  private static String[] stat(long pid) {
    String stat = read("/proc/" + pid + "/stat");
    // "pid (name) state ppid …"; the name may hold blanks and parentheses of its own.
    return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
  }

  private static long number(String[] stat, int field) {
    try {
      return stat.length > field ? Long.parseLong(stat[field]) : 0;
    } catch (NumberFormatException unknownSystem) {
      return 0;
    }
  }

  /** Returns a small file of the system, stripped; empty if there is none, as outside Linux. */
  private static String read(String file) {
    // No channel: that fails in an interrupted thread.
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException none) {
      return "";
    }
  }

  /** What tells the machine from others, found out when first needed, without a name server. */
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
