package dev.ralph.chaos;

import java.util.List;

/** Has a process think that it is on another machine: with a name and processes of its own. */
final class Host {

  private static final String NAMED = "hostname \"$1\"; shift; exec \"$@\"";

  private Host() {}

  /** Returns the command that runs what is added to it there. It takes root. */
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
