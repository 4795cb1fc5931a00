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
 * The specification of a process: an argument vector, never a shell, with its environment and
 * streams. Immutable; {@link ManagedProcess#start} may start it any number of times.
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

  /** The length of the longest piece that an output consumer receives, in chars. */
  public static final int LONGEST_PIECE = 8192;

  private final List<String> command;
  private final @Nullable Path directory;

  /** The variables to set, or to remove if the value is empty. */
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
   * Creates a builder.
   *
   * @param command the program and its arguments, passed unchanged. A program without a slash is
   *     searched on the PATH of this JVM, not of {@link Builder#environment}. A program with a
   *     slash is relative to the working directory
   * @throws RalphException with code INVALID if there is no program, or an argument can't be passed
   *     to a process. Such an argument contains NUL, or characters that the JVM's locale cannot
   *     encode; under {@code LC_ALL=C} the JVM would silently replace them
   */
  public static Builder command(List<String> command) {
    return new Builder(List.copyOf(command));
  }

  /** Creates a builder like {@link #command(List)}. */
  public static Builder command(String... command) {
    return command(List.of(command));
  }

  /**
   * Checks that the program exists and is executable, without starting it.
   *
   * @throws RalphException INVALID otherwise, with the reason
   */
  public void requireProgram() {
    StartFailure.requireProgram(this);
  }

  /**
   * Starts a child that ends when its standard input is closed, and thus with this JVM. All streams
   * are pipes, and the process is not watched. The input, the consumers and the marks of this
   * specification are ignored.
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
   * Replaces characters that can't be passed to a process by {@code ?}: NUL, unpaired surrogates,
   * and characters that the JVM's locale cannot encode.
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

  /** Returns the input if there is no input file. The caller must not change the array. */
  byte[] stdin() {
    return stdin;
  }

  @Nullable Path stdinFile() {
    return stdinFile;
  }

  /** Returns whether the standard input stays open while the process runs. */
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

  /** Returns the command only, because the input and the environment may be secret. */
  @Override
  public String toString() {
    return command.toString();
  }

  /** Builds a {@link ProcessSpec}. Not thread-safe. */
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
        throw RalphException.invalid("cannot start a process: no program given");
      }
      for (int i = 0; i < command.size(); i++) {
        requirePassable(i == 0 ? "program" : "argument " + i, command.get(i));
      }
      this.command = command;
    }

    /** Sets the working directory. The default is the working directory of this JVM. */
    public Builder directory(Path directory) {
      this.directory = directory;
      return this;
    }

    /**
     * Sets an environment variable, in addition to the variables of this JVM.
     *
     * @throws RalphException with code INVALID if the name is empty, contains {@code =}, or is
     *     {@link ProcessMark#VARIABLE} (use {@link #mark}). Also if the name or the value can't be
     *     passed to a process
     */
    public Builder environment(String name, String value) {
      requirePassable("environment variable " + name, value);
      environment.put(requireName(name), Optional.of(value));
      return this;
    }

    /**
     * Removes an environment variable of this JVM.
     *
     * @throws RalphException as {@link #environment}
     */
    public Builder withoutEnvironment(String name) {
      environment.put(requireName(name), Optional.empty());
      return this;
    }

    /**
     * Sets the text of the standard input, in UTF-8. The text is complete before the process
     * starts. Therefore an orphaned process never reads a partial text. The default is empty.
     */
    public Builder stdin(String text) {
      return stdin(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets the bytes of the standard input, like {@link #stdin(String)}. The bytes are copied. */
    public Builder stdin(byte[] bytes) {
      stdin = bytes.clone();
      stdinFile = null;
      return this;
    }

    /**
     * Sets the file of the standard input, read from its beginning. The file must exist at the
     * start.
     */
    public Builder stdin(Path file) {
      stdin = new byte[0];
      stdinFile = file;
      return this;
    }

    /**
     * Keeps the standard input open for {@link ManagedProcess#stdin}. An input text or file is then
     * ignored.
     */
    public Builder talks() {
      talks = true;
      return this;
    }

    /** Merges stderr into stdout, in the order of the writes. */
    public Builder mergeStderr() {
      mergeStderr = true;
      return this;
    }

    /**
     * Sets the consumer of stdout, decoded from UTF-8; malformed bytes become U+FFFD. A piece is a
     * line with its newline. A line longer than {@link #LONGEST_PIECE} chars is split into pieces
     * of at most this length, never within a character. The concatenated pieces are the whole
     * output. Without a consumer the output is discarded.
     *
     * <p>A single thread calls both consumers of a process. A consumer that throws is called again
     * with the next piece. A slow consumer slows the process down, like a slow pipe. A consumer
     * must not wait for the process or end it: such calls throw an IllegalStateException.
     */
    public Builder onStdout(Consumer<String> consumer) {
      onStdout = consumer;
      return this;
    }

    /** Sets the consumer of stderr, like {@link #onStdout}. */
    public Builder onStderr(Consumer<String> consumer) {
      onStderr = consumer;
      return this;
    }

    /**
     * Declares that all descendants of the program end before the program. So after a normal exit
     * no descendants are searched, which would examine all processes of the machine.
     */
    public Builder leavesNothing() {
      leavesNothing = true;
      return this;
    }

    /**
     * Adds a mark to the environment. With it {@link ProcessMark#find()} and {@link
     * ProcessMark#endAll} find the process and its descendants even after the death of this JVM.
     * Each process also has its own unique mark.
     */
    public Builder mark(ProcessMark mark) {
      marks.add(mark);
      return this;
    }

    /**
     * Runs the process until it ends, and returns its output.
     *
     * @param patience the time limit, after which the process is ended
     * @param grace the time that the process then has to exit
     * @param most the number of characters kept of the output, and of the errors: the last lines
     * @throws RalphException as {@link ManagedProcess#start}
     * @throws InterruptedException if the thread is interrupted; the process has ended
     */
    public CommandResult run(Duration patience, Duration grace, int most)
        throws InterruptedException {
      RecentOutput output = new RecentOutput(most);
      RecentOutput errors = new RecentOutput(most);
      onStdout = output;
      onStderr = mergeStderr ? null : errors;
      try (ManagedProcess process = ManagedProcess.start(build())) {
        ProcessExit exit = process.awaitOrTerminate(patience, grace);
        return new CommandResult(exit, output.toString(), errors.toString());
      }
    }

    /**
     * Returns the specification.
     *
     * @throws RalphException with code INVALID if stderr has a consumer and is also merged
     */
    public ProcessSpec build() {
      if (mergeStderr && onStderr != null) {
        throw RalphException.invalid(
            "stderr of "
                + RalphException.quote(command.get(0))
                + " is merged into stdout and also has a consumer; remove either setting");
      }
      return new ProcessSpec(this);
    }

    private static String requireName(String name) {
      if (name.isEmpty() || name.indexOf('=') >= 0) {
        throw RalphException.invalid(
            "environment variable name "
                + RalphException.quote(name)
                + " must not be empty or contain '='");
      }
      if (name.equals(ProcessMark.VARIABLE)) {
        throw RalphException.invalid(
            "environment variable " + name + " is reserved for finding processes; use mark(…)");
      }
      requirePassable("environment variable name", name);
      return name;
    }

    private static void requirePassable(String what, String text) {
      if (text.indexOf('\0') >= 0) {
        throw RalphException.invalid(
            what
                + " contains a NUL character, which can't be passed to a process: "
                + quoted(text));
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

  /** The encoding in which the JVM passes arguments and variables. Resolved lazily. */
  private static final class LaunchCharset {

    static final Charset VALUE =
        Runtime.version().feature() < 18
            ? Charset.defaultCharset()
            : Charset.forName(
                System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));
  }
}
