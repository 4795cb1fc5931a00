package dev.ralph.core.internal.process;

import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What to start: an argument vector, never a shell, with its surroundings. Immutable; started as
 * often as wanted by {@link ManagedProcess#start}.
 *
 * <pre>{@code
 * ProcessSpec spec = ProcessSpec.command("my-agent", "--prompt-from-stdin")
 *     .directory(project)
 *     .stdin(prompt)
 *     .onStdout(transcript::append)
 *     .build();
 * }</pre>
 */
public final class ProcessSpec {

  /** The most chars that an output consumer is given at once. */
  public static final int LONGEST_PIECE = 8192;

  private final List<String> command;
  private final @Nullable Path directory;

  /** Variables to set, or to take away where empty. */
  private final Map<String, Optional<String>> environment;

  private final byte[] stdin;
  private final @Nullable Path stdinFile;
  private final boolean talks;
  private final boolean mergeStderr;
  private final @Nullable Consumer<String> onStdout;
  private final @Nullable Consumer<String> onStderr;
  private final List<ProcessMark> marks;
  private final boolean leavesNothing;

  private ProcessSpec(Builder builder) {
    command = builder.command;
    directory = builder.directory;
    environment = Collections.unmodifiableMap(new TreeMap<>(builder.environment));
    stdin = builder.stdin;
    stdinFile = builder.stdinFile;
    talks = builder.talks;
    mergeStderr = builder.mergeStderr;
    onStdout = builder.onStdout;
    onStderr = builder.onStderr;
    marks = List.copyOf(builder.marks);
    leavesNothing = builder.leavesNothing;
  }

  /**
   * Begins a specification.
   *
   * @param command the program and its arguments, each passed as it is. A program without a slash
   *     is looked up on the PATH of this JVM (not on one set by {@link Builder#environment}); one
   *     with a slash is taken as seen from the working directory
   * @throws RalphException with code INVALID if there is no program, or if an argument can't be
   *     passed to a process: it holds a NUL, or characters that the JVM's locale has no bytes for
   *     (under {@code LC_ALL=C} the JVM would replace them without a word)
   */
  public static Builder command(List<String> command) {
    return new Builder(List.copyOf(command));
  }

  /** As {@link #command(List)}. */
  public static Builder command(String... command) {
    return command(List.of(command));
  }

  /**
   * Looks whether the program is there and may be run, without starting it.
   *
   * @throws RalphException INVALID if not, with the reason
   */
  public void requireProgram() {
    StartFailure.requireProgram(this);
  }

  /**
   * Starts a child that ends when its standard input does, and so with this JVM, however that ends:
   * its streams are pipes, and nobody watches it. Neither input, consumers nor marks count.
   *
   * @throws RalphException as {@link ManagedProcess#start}
   */
  public Process startOnPipes() {
    try {
      return builder().start();
    } catch (IOException e) {
      throw StartFailure.explain(this, e);
    }
  }

  /**
   * Replaces each character that can't be passed to a process by {@code ?}: a NUL, half of a
   * surrogate pair, and a character that the JVM's locale has no bytes for.
   */
  static String passable(String text) {
    if (Builder.isAscii(text) && text.indexOf('\0') < 0) {
      return text;
    }
    CharsetEncoder encoder = LaunchCharset.VALUE.newEncoder();
    StringBuilder passable = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              String character = Character.toString(point);
              boolean isKept = point != 0 && (point < 128 || encoder.canEncode(character));
              passable.append(isKept ? character : "?");
            });
    return passable.toString();
  }

  ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(mergeStderr);
    if (directory != null) {
      builder.directory(directory.toFile());
    }
    Map<String, String> variables = builder.environment();
    for (Map.Entry<String, Optional<String>> each : environment.entrySet()) {
      if (each.getValue().isPresent()) {
        variables.put(each.getKey(), each.getValue().get());
      } else {
        variables.remove(each.getKey());
      }
    }
    return builder;
  }

  List<String> arguments() {
    return command;
  }

  @Nullable Path directory() {
    return directory;
  }

  /** What to write to stdin, unless there is a file for it. Not to be changed. */
  byte[] stdin() {
    return stdin;
  }

  @Nullable Path stdinFile() {
    return stdinFile;
  }

  /** Whether stdin stays open, for what is said while the process runs. */
  boolean talks() {
    return talks;
  }

  @Nullable Consumer<String> onStdout() {
    return onStdout;
  }

  @Nullable Consumer<String> onStderr() {
    return onStderr;
  }

  List<ProcessMark> marks() {
    return marks;
  }

  boolean leavesNothing() {
    return leavesNothing;
  }

  /** The command; what goes through stdin and the environment may be secret, and is left out. */
  @Override
  public String toString() {
    return command.toString();
  }

  /** Collects a {@link ProcessSpec}. For one thread. */
  public static final class Builder {

    private final List<String> command;
    private @Nullable Path directory;
    private final Map<String, Optional<String>> environment = new TreeMap<>();
    private byte[] stdin = new byte[0];
    private @Nullable Path stdinFile;
    private boolean talks;
    private boolean mergeStderr;
    private @Nullable Consumer<String> onStdout;
    private @Nullable Consumer<String> onStderr;
    private final List<ProcessMark> marks = new ArrayList<>();
    private boolean leavesNothing;

    private Builder(List<String> command) {
      if (command.isEmpty() || command.get(0).isEmpty()) {
        throw RalphException.invalid("cannot start a process: no program given; name one");
      }
      for (int i = 0; i < command.size(); i++) {
        requirePassable(i == 0 ? "program" : "argument " + i, command.get(i));
      }
      this.command = command;
    }

    /** The working directory; without one, that of this JVM. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /**
     * Sets an environment variable, on top of those of this JVM.
     *
     * @throws RalphException with code INVALID if the name is empty, holds {@code =}, or is {@link
     *     ProcessMark#VARIABLE} (use {@link #mark}), or if name or value can't be passed to a
     *     process
     */
    public Builder environment(String name, String value) {
      requirePassable("environment variable " + name, value);
      environment.put(requireName(name), Optional.of(value));
      return this;
    }

    /**
     * Takes away an environment variable that this JVM has.
     *
     * @throws RalphException as {@link #environment}
     */
    public Builder withoutEnvironment(String name) {
      environment.put(requireName(name), Optional.empty());
      return this;
    }

    /**
     * Text for stdin, as UTF-8. It is all there before the process starts, so that one whose
     * starter is killed never gets a part of it. Without any, stdin is empty.
     */
    public Builder stdin(String text) {
      return stdin(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes for stdin, as with {@link #stdin(String)}; copied. */
    public Builder stdin(byte[] bytes) {
      stdin = bytes.clone();
      stdinFile = null;
      return this;
    }

    /** A file to read stdin from, from its beginning; it has to be there at the start. */
    public Builder stdin(Path file) {
      stdin = new byte[0];
      stdinFile = file;
      return this;
    }

    /**
     * Leaves stdin open, for {@link ManagedProcess#stdin} to write to while the process runs. Text
     * and file do not count then.
     */
    public Builder talks() {
      talks = true;
      return this;
    }

    /** Sends stderr where stdout goes, in the order written. */
    public Builder mergeStderr() {
      mergeStderr = true;
      return this;
    }

    /**
     * Receives stdout, as text decoded from UTF-8 (malformed bytes replaced by U+FFFD), in pieces:
     * a line with its newline, or where a line is longer than {@link #LONGEST_PIECE} chars, the
     * next so many of it, never half a character. All pieces together are the whole output. Without
     * a consumer the output is discarded.
     *
     * <p>Both consumers of a process are called by one thread, never at once. One that throws is
     * called again with the next piece. One that is slow slows the process down, as a slow pipe
     * does. It must not wait for the process or end it: that is refused with an
     * IllegalStateException.
     */
    public Builder onStdout(Consumer<String> consumer) {
      onStdout = consumer;
      return this;
    }

    /** Receives stderr, as {@link #onStdout} does stdout. */
    public Builder onStderr(Consumer<String> consumer) {
      onStderr = consumer;
      return this;
    }

    /**
     * Says that the program starts nothing that outlives it. When it has ended by itself, nothing
     * is looked for then, which takes a look at every process of the machine.
     */
    public Builder leavesNothing() {
      leavesNothing = true;
      return this;
    }

    /**
     * Adds a mark to the environment, by which the process and all below it are found even after
     * the death of this JVM, by {@link ProcessMark#find()} and {@link ProcessMark#endAll}. Every
     * process has a mark of its own besides.
     */
    public Builder mark(ProcessMark mark) {
      marks.add(mark);
      return this;
    }

    /**
     * Runs it to its end, for what it prints.
     *
     * @param patience after which it is ended
     * @param grace how long it may take to end by itself then
     * @param most how many characters are kept of what it prints, and of what it says is wrong: the
     *     last ones
     * @throws RalphException as {@link ManagedProcess#start}
     * @throws InterruptedException if the thread is interrupted; it has ended then
     */
    public Answer run(Duration patience, Duration grace, int most) throws InterruptedException {
      Tail output = new Tail(most);
      Tail errors = new Tail(most);
      onStdout = output;
      onStderr = mergeStderr ? null : errors;
      try (ManagedProcess process = ManagedProcess.start(build())) {
        ProcessExit exit = process.awaitOrTerminate(patience, grace);
        return new Answer(exit, output.toString(), errors.toString());
      }
    }

    /**
     * Returns the specification.
     *
     * @throws RalphException with code INVALID if stderr has a consumer, and is merged too
     */
    public ProcessSpec build() {
      if (mergeStderr && onStderr != null) {
        throw RalphException.invalid(
            "stderr of "
                + RalphException.quote(command.get(0))
                + " is merged into stdout and has a consumer too: choose one of the two");
      }
      return new ProcessSpec(this);
    }

    private static String requireName(String name) {
      if (name.isEmpty() || name.indexOf('=') >= 0) {
        throw RalphException.invalid(
            "environment variable name "
                + RalphException.quote(name)
                + ": it must not be empty, nor hold '='");
      }
      if (name.equals(ProcessMark.VARIABLE)) {
        throw RalphException.invalid(
            "environment variable " + name + " finds processes again: add to it with mark(…)");
      }
      requirePassable("environment variable name", name);
      return name;
    }

    private static void requirePassable(String what, String text) {
      if (text.indexOf('\0') >= 0) {
        throw RalphException.invalid(
            what + " holds a NUL character, which no process can be given: " + quoted(text));
      }
      if (!isAscii(text) && !LaunchCharset.VALUE.newEncoder().canEncode(text)) {
        throw RalphException.invalid(
            what
                + " can't be passed to a process in this JVM's encoding, "
                + LaunchCharset.VALUE
                + ": "
                + quoted(text)
                + "; start the JVM with LC_ALL=C.UTF-8, or pass the text by stdin or a file");
      }
    }

    private static boolean isAscii(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) >= 128) {
          return false;
        }
      }
      return true;
    }

    private static String quoted(String text) {
      return RalphException.quote(text);
    }
  }

  /** What the JVM encodes arguments and variables with. Found when first needed. */
  private static final class LaunchCharset {

    static final Charset VALUE =
        Runtime.version().feature() < 18
            ? Charset.defaultCharset()
            : Charset.forName(
                System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));
  }
}
