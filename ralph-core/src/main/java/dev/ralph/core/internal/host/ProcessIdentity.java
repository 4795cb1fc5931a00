package dev.ralph.core.internal.host;

import dev.ralph.Meta;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * One process of one machine. Its start tells it from a later process of the same number.
 *
 * @param host the machine's name
 * @param pid the process there
 * @param started when the process was started, in milliseconds since 1970, or 0 where not known
 */
public record ProcessIdentity(String host, long pid, long started) {

  /** Systems count a process's start from their own, which is known to the second only. */
  private static final long START_TOLERANCE_MILLIS = 2_000;

  /** Returns the present process. */
  public static ProcessIdentity current() {
    return new ProcessIdentity(
        Machine.NAME, ProcessHandle.current().pid(), startOf(ProcessHandle.current()));
  }

  /** Returns the process that a frame names, or null if it names none. */
  @Nullable
  public static ProcessIdentity of(Meta meta) {
    String host = meta.string("host");
    long pid = meta.integer("pid").orElse(0);
    return host == null || pid < 1
        ? null
        : new ProcessIdentity(host, pid, meta.integer("started").orElse(0));
  }

  /** Returns the meta data with this process named in it. */
  public Meta in(Meta meta) {
    return meta.with("host", host).with("pid", pid).with("started", started);
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
    long there = startOf(process.get());
    return started == 0 || there == 0 || Math.abs(there - started) <= START_TOLERANCE_MILLIS;
  }

  private static long startOf(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  /** The machine's name, found out when first needed, without asking a name server. */
  private static final class Machine {
    private static final String NAME = name();

    private static String name() {
      try {
        String kernel =
            Files.readString(Path.of("/proc/sys/kernel/hostname"), StandardCharsets.UTF_8).strip();
        if (!kernel.isEmpty()) {
          return kernel;
        }
      } catch (IOException notLinux) {
        // the environment may know
      }
      for (String variable : new String[] {"HOSTNAME", "COMPUTERNAME"}) {
        String value = System.getenv(variable);
        if (value != null && !value.isBlank()) {
          return value;
        }
      }
      return "localhost";
    }
  }
}
