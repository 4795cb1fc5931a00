package dev.ralph.core.internal.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Programs on the search path of this process. */
public final class SearchPath {

  private SearchPath() {}

  /** Returns the first executable file of that name; null where there is none. */
  public static @Nullable Path find(String program) {
    for (String folder : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
      try {
        Path file = Path.of(folder).resolve(program);
        if (Files.isRegularFile(file) && Files.isExecutable(file)) {
          return file;
        }
      } catch (InvalidPathException noPathInThisLocale) {
        // Then no program of that name is found there.
      }
    }
    return null;
  }

  /**
   * Returns the words that run the command behind them in a session of its own, so that {@code
   * /dev/tty} can't be opened there; none where the system has no program for that.
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
