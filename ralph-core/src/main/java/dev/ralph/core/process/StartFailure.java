package dev.ralph.core.process;

import dev.ralph.RalphException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** Tells people why a process could not be started; the system says no more than a number. */
final class StartFailure {

  private static final String LIST_TOO_LONG = "error=7,";

  private StartFailure() {}

  static RalphException explain(ProcessSpec spec, IOException cause) {
    String program = spec.arguments().get(0);
    String message =
        "cannot start " + RalphException.quote(program) + ": " + reason(spec, program, cause);
    return new RalphException(RalphException.Code.INVALID, message, cause);
  }

  private static String reason(ProcessSpec spec, String program, IOException cause) {
    Path directory = spec.directory();
    if (directory != null && !Files.isDirectory(directory)) {
      return Files.exists(directory)
          ? "its working directory " + quote(directory) + " is a file; name a directory"
          : "its working directory "
              + quote(directory)
              + " does not exist; create it or name another";
    }
    Path stdin = spec.stdinFile();
    if (stdin != null && !Files.isReadable(stdin)) {
      return "its input file "
          + quote(stdin)
          + " can't be read; check that it exists and is readable";
    }
    if (String.valueOf(cause.getMessage()).contains(LIST_TOO_LONG)) {
      return "its arguments and environment are too long for the system;"
          + " pass long text by stdin or a file";
    }
    return program.indexOf('/') >= 0 || program.indexOf(File.separatorChar) >= 0
        ? reasonOfPath(resolve(directory, program), cause)
        : reasonOnSearchPath(program, cause);
  }

  private static String reasonOfPath(@Nullable Path file, IOException cause) {
    if (file == null || !Files.exists(file)) {
      return "there is no such file; check its path"
          + (file == null || !file.isAbsolute() ? " as seen from the working directory" : "");
    }
    if (Files.isDirectory(file)) {
      return "it is a directory; name a program";
    }
    return Files.isExecutable(file) ? reasonOfSystem(cause) : "it is not executable; chmod +x it";
  }

  private static String reasonOnSearchPath(String program, IOException cause) {
    List<Path> found = new ArrayList<>();
    for (String entry : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
      Path file = resolve(Path.of(entry), program);
      if (file != null && Files.isRegularFile(file)) {
        found.add(file);
      }
    }
    if (found.isEmpty()) {
      return "not found on PATH; install it or give its path";
    }
    return found.stream().anyMatch(Files::isExecutable)
        ? reasonOfSystem(cause)
        : "found on PATH as " + quote(found.get(0)) + ", but not executable; chmod +x it";
  }

  private static String reasonOfSystem(IOException cause) {
    return "the system refused it ("
        + cause.getMessage()
        + "); if it is a script, check the interpreter named in its first line";
  }

  @Nullable
  private static Path resolve(@Nullable Path directory, String program) {
    try {
      return directory == null ? Path.of(program) : directory.resolve(program);
    } catch (InvalidPathException noPath) {
      return null;
    }
  }

  private static String quote(Path path) {
    return RalphException.quote(path.toString());
  }
}
