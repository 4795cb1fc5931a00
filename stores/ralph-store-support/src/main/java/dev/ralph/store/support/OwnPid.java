package dev.ralph.store.support;

import java.io.File;
import java.io.IOException;

/**
 * The process id of this JVM. {@link ProcessHandle} takes 14 ms to return it in a fresh JVM, as
 * long as an append; reading a link below {@code /proc} takes 2 ms.
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
