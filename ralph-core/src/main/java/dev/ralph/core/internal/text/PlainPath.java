package dev.ralph.core.internal.text;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Checks paths in a folder that somebody else may have made, such as a cloned repository. A link in
 * it would lead reading and writing to files of the user's outside; opening a pipe may never end.
 * This keeps out what came with the folder, not a process that changes it meanwhile.
 */
public final class PlainPath {

  private PlainPath() {}

  /**
   * Checks that no name below a folder, on the way to a path, is a symbolic link. What is missing
   * passes.
   *
   * @param root the folder, which may be a link itself
   * @param path a path that begins with it
   * @throws RalphException INVALID if one is
   */
  public static void require(Path root, Path path) {
    Path at = root;
    for (Path name : root.relativize(path)) {
      at = at.resolve(name);
      if (Files.isSymbolicLink(at)) {
        throw RalphException.invalid(
            at
                + " is a symbolic link, and nothing is read or written through one there; put in its"
                + " place what it leads to");
      }
    }
  }

  /**
   * Checks a file as {@link #require} does, and that it is one.
   *
   * @throws RalphException INVALID also if it is there and no file
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
   * Checks that what was found by its name alone is no pipe and no device: reading it may never
   * end.
   *
   * @throws RalphException INVALID if it is one
   */
  public static void requireNoPipe(Path file) {
    requireNoPipe(file, attributes(file));
  }

  private static void requireNoPipe(Path file, @Nullable BasicFileAttributes found) {
    if (found != null && found.isOther()) {
      throw RalphException.invalid(file + " is a pipe, socket or device, not a file; remove it");
    }
  }

  // In one call: between two, an editor may put another file in this one's place.
  private static @Nullable BasicFileAttributes attributes(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class);
    } catch (IOException missing) {
      return null; // or out of reach, as opening it will say
    }
  }
}
