package dev.ralph.core.internal.host;

import dev.ralph.Meta;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * One process of one machine. Its start tells it from a later process of the same number: counted
 * from the machine's own start where the system tells that, since a clock that is set moves every
 * other account of it.
 *
 * @param host the machine's name
 * @param pid the process there
 * @param started when the process was started, in milliseconds since 1970, or 0 where not known
 * @param boot names the run of the machine's kernel, or null where not known
 * @param ticks when the process was started, in the kernel's ticks since that run began, or 0 where
 *     not known
 */
public record ProcessIdentity(
    String host, long pid, long started, @Nullable String boot, long ticks) {

  /** Systems count a process's start from their own, which is known to the second only. */
  private static final long START_TOLERANCE_MILLIS = 2_000;

  /** Where a process's start stands in its line of Linux, counted from after its name. */
  private static final int START_FIELD = 19;

  /** Makes the identity of a process whose start is known by the clock only. */
  public ProcessIdentity(String host, long pid, long started) {
    this(host, pid, started, null, 0);
  }

  /** Returns the present process. */
  public static ProcessIdentity current() {
    ProcessHandle self = ProcessHandle.current();
    return new ProcessIdentity(
        Machine.NAME, self.pid(), startOf(self), Machine.BOOT, ticksOf(self.pid()));
  }

  /** Returns the process that a frame names, or null if it names none. */
  @Nullable
  public static ProcessIdentity of(Meta meta) {
    String host = meta.string("host");
    long pid = meta.integer("pid").orElse(0);
    return host == null || pid < 1
        ? null
        : new ProcessIdentity(
            host,
            pid,
            meta.integer("started").orElse(0),
            meta.string("boot"),
            meta.integer("ticks").orElse(0));
  }

  /** Returns the meta data with this process named in it. */
  public Meta in(Meta meta) {
    Meta named = meta.with("host", host).with("pid", pid).with("started", started);
    return boot == null || ticks == 0 ? named : named.with("boot", boot).with("ticks", ticks);
  }

  /** Returns whether the process is, or was, one of this machine. */
  public boolean isHere() {
    return host.equals(Machine.NAME);
  }

  /** Returns whether the process runs; true if it is of another machine, where nobody can tell. */
  public boolean isLive() {
    if (!isHere()) {
      return true;
    }
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    if (boot != null && ticks != 0 && Machine.BOOT != null) {
      long ticksThere = ticksOf(pid);
      if (ticksThere != 0) {
        return boot.equals(Machine.BOOT) && ticks == ticksThere;
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

  private static long ticksOf(long pid) {
    String stat = read("/proc/" + pid + "/stat");
    // "pid (name) state ppid …"; the name may hold blanks and parentheses of its own.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    try {
      return fields.length > START_FIELD ? Long.parseLong(fields[START_FIELD]) : 0;
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
    @Nullable private static final String BOOT = boot();

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

    @Nullable
    private static String boot() {
      String id = read("/proc/sys/kernel/random/boot_id");
      return id.isEmpty() ? null : id;
    }
  }
}
