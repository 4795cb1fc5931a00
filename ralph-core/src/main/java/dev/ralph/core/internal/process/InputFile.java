package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The input file of a process. The text is complete before the process starts. With a pipe, a
 * killed parent could leave a part of the text, which the process would accept as the whole. An
 * agent with a partial or empty prompt could do anything.
 */
final class InputFile implements AutoCloseable {

  private final @Nullable Path path;

  /** The folder of the file; null unless this object created the file. */
  private final @Nullable PrivateFolder folder;

  private InputFile(@Nullable Path path, @Nullable PrivateFolder folder) {
    this.path = path;
    this.folder = folder;
  }

  /**
   * Creates the input of a process that is about to start. An interrupt does not fail the call and
   * stays pending.
   *
   * @throws RalphException IO if the input can't be written
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
      try (FileOutputStream out = new FileOutputStream(path.toFile())) {
        out.write(spec.stdin()); // unlike Files.write, not failed by an interrupt
      }
      return new InputFile(path, folder);
    } catch (IOException e) {
      close(folder);
      throw RalphException.io(
          "cannot start "
              + RalphException.quote(spec.arguments().get(0))
              + ": can't write its input to "
              + System.getProperty("java.io.tmpdir")
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** Returns the path of the file; null without input. */
  @Nullable Path path() {
    return path;
  }

  /** Deletes the file. A started process has it open and can still read it. */
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
