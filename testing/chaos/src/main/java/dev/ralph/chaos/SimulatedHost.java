package dev.ralph.chaos;

import java.util.List;

/** Simulates another host for a process, with a different host name and process namespace. */
final class SimulatedHost {

  private static final String NAMED = "hostname \"$1\"; shift; exec \"$@\"";

  private SimulatedHost() {}

  /** Returns the command prefix that runs a process on a simulated host. Needs root. */
  static List<String> of(int number) {
    return List.of(
        "unshare",
        "--uts",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "sh",
        "-c",
        NAMED,
        "sh",
        "host-" + number);
  }
}
