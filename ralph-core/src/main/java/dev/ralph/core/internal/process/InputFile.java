package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file that a process reads its input from. Text is in it to its end before the process starts:
 * through a pipe, one whose starter is killed meanwhile would get a part of it, and take that for
 * all. An agent with half a prompt, or none, would go on and do anything.
 */
final class InputFile implements AutoCloseable {

  private final @Nullable Path path;

  /** Where it is, if it was made here. */
  private final @Nullable PrivateFolder folder;

  private InputFile(@Nullable Path path, @Nullable PrivateFolder folder) {
    this.path = path;
    this.folder = folder;
  }

  /**
   * Returns the input of a process that is about to start.
   *
   * @throws RalphException IO if it can't be written
   */
  static InputFile of(ProcessSpec spec) {
    if (spec.talks()) {
      return new InputFile(null, null);
    }
    if (spec.stdinFile() != null || spec.stdin().length == 0) {
      return new InputFile(spec.stdinFile(), null);
    }
    PrivateFolder folder = null;
    try {
      folder = PrivateFolder.create();
      Path path = folder.file("input");
      Files.write(path, spec.stdin());
      return new InputFile(path, folder);
    } catch (IOException e) {
      close(folder);
      throw RalphException.io(
          "cannot start "
              + RalphException.quote(spec.arguments().get(0))
              + ": its input can't be written to "
              + System.getProperty("java.io.tmpdir")
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
    close(folder);
  }

  private static void close(@Nullable PrivateFolder folder) {
    if (folder != null) {
      folder.close();
    }
  }
}
