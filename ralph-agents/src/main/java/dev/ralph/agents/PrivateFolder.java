package dev.ralph.agents;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A folder for temporary files that only this user can look into, gone with all in it when closed.
 */
final class PrivateFolder implements AutoCloseable {

  private final Path folder;

  private PrivateFolder(Path folder) {
    this.folder = folder;
  }

  static PrivateFolder create() throws IOException {
    return new PrivateFolder(Files.createTempDirectory("ralph-"));
  }

  /** Returns the path of a file in it, which need not be there. */
  Path file(String name) {
    return folder.resolve(name);
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      System.getLogger(PrivateFolder.class.getPackageName())
          .log(Level.DEBUG, "temporary files are left behind in " + folder, e);
    }
  }
}
