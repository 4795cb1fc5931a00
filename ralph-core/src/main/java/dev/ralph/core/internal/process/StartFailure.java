package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Explains to people why a process could not be started, because the system only reports a number.
 */
final class StartFailure {

  private static final String LIST_TOO_LONG = "error=7,";

  /** The number of bytes that the kernel reads of a script's first line. */
  private static final int LONGEST_INTERPRETER = 256;

  private StartFailure() {}

  static RalphException explain(ProcessSpec spec, IOException cause) {
    return failure(spec, reason(spec, cause), cause);
  }

  /**
   * Checks that the program exists and is executable.
   *
   * @throws RalphException INVALID otherwise
   */
  static void requireProgram(ProcessSpec spec) {
    Optional<String> missing = missing(spec);
    if (missing.isPresent()) {
      throw failure(spec, missing.get(), null);
    }
  }

  private static RalphException failure(
      ProcessSpec spec, String reason, @Nullable IOException cause) {
    String program = RalphException.quote(spec.arguments().get(0));
    return RalphException.invalid("cannot start " + program + ": " + reason, cause);
  }

  private static String reason(ProcessSpec spec, IOException cause) {
    Path directory = spec.directory();
    if (directory != null && !Files.isDirectory(directory)) {
      return Files.exists(directory)
          ? "its working directory " + quote(directory) + " is a file; use a directory"
          : "its working directory "
              + quote(directory)
              + " does not exist; create it or use an existing directory";
    }
    Path stdin = spec.stdinFile();
    if (stdin != null && !Files.isReadable(stdin)) {
      return "its input file "
          + quote(stdin)
          + " can't be read; check the path and the permissions";
    }
    if (String.valueOf(cause.getMessage()).contains(LIST_TOO_LONG)) {
      return "its arguments and environment are too long for the system;"
          + " pass long text by stdin or a file";
    }
    return missing(spec).orElseGet(() -> reasonOfSystem(cause));
  }

  /** Returns the reason why the program can't be run; empty if it is executable. */
  private static Optional<String> missing(ProcessSpec spec) {
    String program = spec.arguments().get(0);
    Path directory = spec.directory();
    return program.indexOf('/') >= 0 || program.indexOf(File.separatorChar) >= 0
        ? missingAtPath(resolve(directory == null ? "" : directory.toString(), program))
        : missingOnSearchPath(program);
  }

  private static Optional<String> missingAtPath(@Nullable Path file) {
    if (file == null || !Files.exists(file)) {
      return Optional.of(
          "no such file; check the path"
              + (file == null || !file.isAbsolute() ? " as seen from the working directory" : ""));
    }
    if (Files.isDirectory(file)) {
      return Optional.of("it is a directory; use the path of a program");
    }
    return Files.isExecutable(file)
        ? missingInterpreter(file)
        : Optional.of("it is not executable; run chmod +x");
  }

  /** Returns an explanation if the interpreter in the first line of a script does not exist. */
  private static Optional<String> missingInterpreter(Path file) {
    byte[] first = new byte[LONGEST_INTERPRETER];
    int length;
    try (InputStream in = Files.newInputStream(file)) {
      length = in.readNBytes(first, 0, first.length);
    } catch (IOException unreadable) {
      return Optional.empty(); // the system may still run the file
    }
    String line =
        new String(first, 0, length, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
    String[] words =
        line.startsWith("#!") ? line.substring(2).strip().split("\\s+") : new String[0];
    if (words.length == 0 || !words[0].startsWith("/")) {
      return Optional.empty();
    }
    Path interpreter = resolve("", words[0]);
    String missing = interpreter == null || Files.isExecutable(interpreter) ? null : words[0];
    boolean isByEnv = words[0].endsWith("/env") && words.length > 1 && !words[1].startsWith("-");
    if (missing == null && isByEnv && words[1].indexOf('=') < 0) {
      missing = SearchPath.find(words[1]) == null ? words[1] : null;
    }
    return missing == null
        ? Optional.empty()
        : Optional.of(
            "its interpreter "
                + RalphException.quote(missing)
                + " does not exist or is not executable; correct the first line of the script");
  }

  private static Optional<String> missingOnSearchPath(String program) {
    List<Path> found = new ArrayList<>();
    for (String entry : String.valueOf(System.getenv("PATH")).split(File.pathSeparator)) {
      Path file = resolve(entry, program);
      if (file != null && Files.isRegularFile(file)) {
        found.add(file);
      }
    }
    if (found.isEmpty()) {
      return Optional.of("not found on PATH; install the program or give its path");
    }
    return found.stream().anyMatch(Files::isExecutable)
        ? Optional.empty()
        : Optional.of(
            "found on PATH as " + quote(found.get(0)) + ", but not executable; run chmod +x");
  }

  private static String reasonOfSystem(IOException cause) {
    return "the operating system refused ("
        + cause.getMessage()
        + "); for a script, check the interpreter in the first line";
  }

  private static @Nullable Path resolve(String directory, String program) {
    try {
      return Path.of(directory).resolve(program);
    } catch (InvalidPathException noPathInThisLocale) {
      return null;
    }
  }

  private static String quote(Path path) {
    return RalphException.quote(path.toString());
  }
}
