package dev.ralph.core.internal.process;

import dev.ralph.RalphException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file that a process reads its input from. Text is in it to its end before the process starts:
 * through a pipe, one whose starter is killed meanwhile would get a part of it, and take that for
 * all. An agent with half a prompt, or none, would go on and do anything.
 */
final class InputFile implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(InputFile.class.getPackageName());

  private final @Nullable Path path;
  private final boolean isOurs;

  private InputFile(@Nullable Path path, boolean isOurs) {
    this.path = path;
    this.isOurs = isOurs;
  }

  /**
   * Returns the input of a process that is about to start.
   *
   * @throws RalphException IO if it can't be written
   */
  static InputFile of(ProcessSpec spec) {
    if (spec.stdinFile() != null || spec.stdin().length == 0) {
      return new InputFile(spec.stdinFile(), false);
    }
    Path path = null;
    try {
      path = Files.createTempFile("ralph-input-", ""); // only this user may read it
      Files.write(path, spec.stdin());
      return new InputFile(path, true);
    } catch (IOException e) {
      delete(path);
      throw RalphException.io(
          "cannot start "
              + RalphException.quote(spec.arguments().get(0))
              + ": its input can't be written to "
              + (path == null ? System.getProperty("java.io.tmpdir") : path)
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** Returns where it is; null if there is no input. */
  @Nullable Path path() {
    return path;
  }

  /** Takes the file away, which a process that has started has open. */
  @Override
  public void close() {
    if (isOurs) {
      delete(path);
    }
  }

  private static void delete(@Nullable Path path) {
    if (path == null) {
      return;
    }
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "an input is left behind: " + path, e);
    }
  }
}
