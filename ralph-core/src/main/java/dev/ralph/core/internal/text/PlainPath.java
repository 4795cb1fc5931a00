package dev.ralph.core.internal.text;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Checks paths in an untrusted folder, such as a cloned repository. A link could lead reads and
 * writes to the user's files outside, and opening a pipe may block forever. The checks apply to
 * existing files; they do not prevent concurrent changes by a process.
 */
public final class PlainPath {

  private PlainPath() {}

  /**
   * Checks that no component of a path below a folder is a symbolic link. Missing components pass.
   *
   * @param root the folder, which may be a link itself
   * @param path a path below the folder
   * @throws RalphException INVALID if a component is a symbolic link
   */
  public static void require(Path root, Path path) {
    Path at = root;
    for (Path name : root.relativize(path)) {
      at = at.resolve(name);
      if (Files.isSymbolicLink(at)) {
        throw RalphException.invalid(
            at
                + " is a symbolic link, and Ralph follows no links there; replace the link by"
                + " its target");
      }
    }
  }

  /**
   * Checks a path like {@link #require}, and that an existing path is a regular file.
   *
   * @throws RalphException INVALID also if the path exists and is no regular file
   */
  public static void requireFile(Path root, Path file) {
    require(root, file);
    BasicFileAttributes found = attributes(file);
    requireNoPipe(file, found);
    if (found != null && found.isDirectory()) {
      throw RalphException.invalid(file + " is a folder, not a file; move it away");
    }
  }

  /**
   * Checks that a file is no pipe and no device, because reading it may block forever.
   *
   * @throws RalphException INVALID otherwise
   */
  public static void requireNoPipe(Path file) {
    requireNoPipe(file, attributes(file));
  }

  private static void requireNoPipe(Path file, @Nullable BasicFileAttributes found) {
    if (found != null && found.isOther()) {
      throw RalphException.invalid(file + " is a pipe, socket or device, not a file; remove it");
    }
  }

  // One call, because an editor may replace the file between two calls.
  private static @Nullable BasicFileAttributes attributes(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (IOException missing) {
      return null; // or inaccessible, which opening the file reports
    }
  }
}
