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

/** Everything around the command that it may look at; it looks at nothing else. */
public final class Environment {

  private final Map<String, String> variables;
  private final InputStream in;
  private final boolean inTerminal;
  private final Output out;
  private final Output err;
  private final Path directory;
  private final @Nullable Path launcher;
  private @Nullable Trust trust;

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

  /** Returns an environment without any terminal. */
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
   * Returns an environment.
   *
   * @param directory what relative paths are relative to
   * @param launcher the script that starts the command, or null where there is none
   * @param terminals the digits of the streams that are terminals, of 0, 1 and 2
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

  /** Returns the same in another folder. */
  public Environment in(Path folder) {
    return new Environment(variables, in, inTerminal, out, err, folder, launcher);
  }

  /**
   * Returns the same without a terminal and with nothing piped in.
   *
   * @param answer where the answer goes; what goes to standard error is dropped
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

  /** Returns the value of a variable, or null if it is not set or empty. */
  public @Nullable String variable(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  /** Returns what is piped in, or typed. */
  public InputStream in() {
    return in;
  }

  /** Returns whether a person would have to type what is read. */
  public boolean isTypedIn() {
    return inTerminal;
  }

  /** Returns where the answer goes. */
  public Output out() {
    return out;
  }

  /** Returns whether the answer goes to a terminal whose lines can be drawn again. */
  public boolean canDraw() {
    String terminal = variable("TERM");
    return out.isTerminal() && terminal != null && !terminal.equals("dumb");
  }

  /** Returns how the answer is to look; see no-color.org for the variable {@code NO_COLOR}. */
  public Style style() {
    return canDraw() && variable("NO_COLOR") == null ? Style.coloured() : Style.plain();
  }

  /** Returns the time zone of the person who calls. */
  public ZoneId zone() {
    return ZoneId.systemDefault();
  }

  /** Returns where everything else goes. */
  public Output err() {
    return err;
  }

  /** Says something beside the answer, at once. */
  void warn(String message) {
    err.line("ralph: " + SafeText.line(message));
    err.flush();
  }

  /** Returns what the caller has trusted. */
  public synchronized Trust trust() {
    if (trust == null) {
      trust = new Trust(this);
    }
    return trust;
  }

  /** Returns the folder that the command was called in. */
  public Path directory() {
    return directory;
  }

  /**
   * Returns the folders that the files of a project are looked for in, the nearest first: the
   * current one and those above it, up to the root of the file system. As with Git, none that
   * {@code GIT_CEILING_DIRECTORIES} names is among them, and none above that; but the current one
   * is, always.
   */
  List<Path> upward() {
    return GitCeilings.of(variable(GitCeilings.VARIABLE)).upward(directory);
  }

  /** Returns the path that the text stands for, seen from {@link #directory()}. */
  public Path path(String text) {
    if (text.indexOf('\ufffd') >= 0) {
      throw new UsageException(
          dev.ralph.log.RalphException.quote(text)
              + " can't be a path: a byte of it is not UTF-8, and another file would be taken");
    }
    try {
      return StoreFolder.locate(directory.resolve(text));
    } catch (java.nio.file.InvalidPathException e) {
      throw new UsageException(
          dev.ralph.log.RalphException.quote(text) + " can't be a path: " + e.getReason());
    }
  }

  /**
   * Returns the program that a command line means, or null if there is none that can be executed.
   *
   * @param name a name to be found on the PATH, or a path
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

  /** Returns the script that starts the command, or null where there is none. */
  public @Nullable Path launcher() {
    return launcher;
  }
}
