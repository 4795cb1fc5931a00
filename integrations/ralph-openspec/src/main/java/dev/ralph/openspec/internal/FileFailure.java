package dev.ralph.openspec.internal;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Creates the exception for a file that can't be read or written. */
public final class FileFailure {

  private FileFailure() {}

  /**
   * Returns the exception.
   *
   * @param what the failed action, such as {@code read}
   */
  public static RalphException of(String what, Path file, IOException e) {
    return RalphException.io("cannot " + what + " " + file + ": " + reason(file, e), e);
  }

  private static String reason(Path file, IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    if (reason == null) {
      return e.toString();
    }
    String before = file + " ("; // the older way to open a file adds its path
    return reason.startsWith(before) && reason.endsWith(")")
        ? reason.substring(before.length(), reason.length() - 1)
        : reason;
  }
}
