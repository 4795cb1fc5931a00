package dev.ralph.cli.call;

import dev.ralph.cli.terminal.Output;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.core.internal.process.GitCeilings;
import dev.ralph.store.support.internal.folder.StoreFolder;
import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a command: variables, streams and the current folder. A command uses no other
 * environment.
 */
public final class Environment {

  private final Map<String, String> variables;
  private final InputStream in;
  private final boolean inTerminal;
  private final Output out;
  private final Output err;
  private final Path directory;
  private final @Nullable Path launcher;
  private @Nullable TrustedFiles trust;

  private Environment(
      Map<String, String> variables,
      InputStream in,
      boolean inTerminal,
      Output out,
      Output err,
      Path directory,
      @Nullable Path launcher) {
    this.variables = variables;
    this.in = in;
    this.inTerminal = inTerminal;
    this.out = out;
    this.err = err;
    this.directory = directory;
    this.launcher = launcher;
  }

  /** Creates an environment without a terminal. */
  public static Environment of(
      Map<String, String> variables,
      InputStream in,
      OutputStream out,
      OutputStream err,
      Path directory,
      @Nullable Path launcher) {
    return of(variables, in, out, err, directory, launcher, "");
  }

  /**
   * Creates an environment.
   *
   * @param directory the base of relative paths
   * @param launcher the script that starts the command, or null
   * @param terminals the digits of those streams 0, 1 and 2 that are terminals
   */
  public static Environment of(
      Map<String, String> variables,
      InputStream in,
      OutputStream out,
      OutputStream err,
      Path directory,
      @Nullable Path launcher,
      String terminals) {
    return new Environment(
        variables,
        in,
        terminals.indexOf('0') >= 0,
        new Output(out, terminals.indexOf('1') >= 0),
        new Output(err, terminals.indexOf('2') >= 0),
        directory,
        launcher);
  }

  /** Returns a copy with another current folder. */
  public Environment in(Path folder) {
    return new Environment(variables, in, inTerminal, out, err, folder, launcher);
  }

  /**
   * Returns a copy without a terminal and with empty standard input.
   *
   * @param answer the stream for standard output; standard error is discarded
   */
  public Environment aside(OutputStream answer) {
    return new Environment(
        variables,
        InputStream.nullInputStream(),
        false,
        new Output(answer, false),
        new Output(OutputStream.nullOutputStream(), false),
        directory,
        launcher);
  }

  /** Returns the value of a variable, or null if the variable is not set or empty. */
  public @Nullable String variable(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns standard input. */
  public InputStream in() {
    return in;
  }

  /** Returns whether standard input is a terminal, so that a person would have to type. */
  public boolean isTypedIn() {
    return inTerminal;
  }

  /** Returns standard output. */
  public Output out() {
    return out;
  }

  /** Returns whether standard output is a terminal on which lines can be redrawn. */
  public boolean canDraw() {
    String terminal = variable("TERM");
    return out.isTerminal() && terminal != null && !terminal.equals("dumb");
  }

  /** Returns the style of the output. See no-color.org for the variable {@code NO_COLOR}. */
  public Style style() {
    return canDraw() && variable("NO_COLOR") == null ? Style.coloured() : Style.plain();
  }

  /** Returns the time zone of the caller. */
  public ZoneId zone() {
    return ZoneId.systemDefault();
  }

  /** Returns standard error. */
  public Output err() {
    return err;
  }

  /** Prints a message to standard error immediately. */
  void warn(String message) {
    err.line("ralph: " + SafeText.line(message));
    err.flush();
  }

  /** Returns the files trusted by the caller. */
  public synchronized TrustedFiles trust() {
    if (trust == null) {
      trust = new TrustedFiles(this);
    }
    return trust;
  }

  /** Returns the current folder. */
  public Path directory() {
    return directory;
  }

  /**
   * Returns the folders in which to search for files of the project: the current folder, then its
   * ancestors up to the root. As in Git, the search ends below a folder in {@code
   * GIT_CEILING_DIRECTORIES}. The current folder is always included.
   */
  List<Path> upward() {
    return GitCeilings.of(variable(GitCeilings.VARIABLE)).upward(directory);
  }

  /** Resolves a path against {@link #directory()}. */
  public Path path(String text) {
    if (text.indexOf('\ufffd') >= 0) {
      throw new UsageException(
          dev.ralph.log.RalphException.quote(text)
              + " is not a valid path: the name is not UTF-8; rename the file");
    }
    try {
      return StoreFolder.locate(directory.resolve(text));
    } catch (java.nio.file.InvalidPathException e) {
      throw new UsageException(
          dev.ralph.log.RalphException.quote(text) + " is not a valid path: " + e.getReason());
    }
  }

  /**
   * Returns the program of a command line, or null if no executable file is found.
   *
   * @param name a name to search on the PATH, or a path
   */
  public @Nullable Path program(String name) {
    if (name.indexOf('/') >= 0) {
      return executable(path(name));
    }
    String path = variable("PATH");
    for (String folder : path == null ? new String[0] : path.split(File.pathSeparator)) {
      Path found = executable(path(folder).resolve(name));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static @Nullable Path executable(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file) ? file : null;
  }

  /** Returns the script that starts the command, or null. */
  public @Nullable Path launcher() {
    return launcher;
  }
}
