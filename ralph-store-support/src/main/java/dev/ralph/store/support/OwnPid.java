package dev.ralph.store.support;

import java.io.File;
import java.io.IOException;

/**
 * The process id of this JVM. {@link ProcessHandle} takes 14 ms of a cold start to tell it, as long
 * as an append; where there is a {@code /proc}, a link tells it in 2.
 */
final class OwnPid {

  /** The process id. */
  static final long VALUE = find();

  private OwnPid() {}

  private static long find() {
    try {
      return Long.parseLong(new File("/proc/self").getCanonicalFile().getName());
    } catch (IOException | NumberFormatException e) {
      return ProcessHandle.current().pid();
    }
  }
}
