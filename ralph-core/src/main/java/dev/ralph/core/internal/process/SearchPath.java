package dev.ralph.core.internal.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds programs on the search path of this process. */
public final class SearchPath {

  private SearchPath() {}

  /** Returns the first executable file with a name; null if none exists. */
  public static @Nullable Path find(String program) {
    for (String folder : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
      try {
        Path file = Path.of(folder).resolve(program);
        if (Files.isRegularFile(file) && Files.isExecutable(file)) {
          return file;
        }
      } catch (InvalidPathException noPathInThisLocale) {
        // The folder can't contain a program with this name.
      }
    }
    return null;
  }

  /**
   * Returns the command prefix to run a command in a new session, in which {@code /dev/tty} can't
   * be opened. Empty if the system has no program for that purpose.
   */
  public static List<String> withoutTerminal() {
    if (find("setsid") != null) {
      return List.of("setsid");
    }
    return find("perl") == null
        ? List.of()
        : List.of("perl", "-e", "use POSIX; POSIX::setsid(); exec { $ARGV[0] } @ARGV or exit 126");
  }
}
