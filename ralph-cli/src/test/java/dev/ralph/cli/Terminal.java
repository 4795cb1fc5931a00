package dev.ralph.cli;

import dev.ralph.cli.call.Environment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Calls the command in the test's process, as a user in a folder would. */
public final class Terminal {

  /** The exit code and the output of a call. */
  public record Result(int code, String out, String err) {

    /** Returns the output, which must be a single line. */
    public String line() {
      return out.endsWith("\n") ? out.substring(0, out.length() - 1) : out;
    }
  }

  /** Replaces the launcher, which the tests' agents never call. */
  public static final Path LAUNCHER = Path.of("/bin/sh");

  private final Path folder;
  private final Map<String, String> variables = new HashMap<>();
  private String terminals = "0";

  public Terminal(Path folder) {
    this.folder = folder;
    // Tests must not find stores or repositories above the temporary folder.
    variables.put("GIT_CEILING_DIRECTORIES", System.getProperty("java.io.tmpdir"));
  }

  Path folder() {
    return folder;
  }

  public Terminal with(String variable, String value) {
    variables.put(variable, value);
    return this;
  }

  /** Sets the standard streams that are terminals, as digits. Default is standard input only. */
  public Terminal terminals(String digits) {
    terminals = digits;
    return this;
  }

  public Result call(String... words) {
    return call(InputStream.nullInputStream(), terminals, words);
  }

  /** Returns the names of the sessions in the store, sorted. */
  public List<String> sessions() {
    List<String> names = new ArrayList<>();
    for (String line : call("sessions").out().lines().toList()) {
      names.add(line.split(" ", 2)[0]);
    }
    names.sort(null);
    return names;
  }

  public Result pipe(String text, String... words) {
    return pipe(text.getBytes(StandardCharsets.UTF_8), words);
  }

  public Result pipe(byte[] text, String... words) {
    return call(new ByteArrayInputStream(text), terminals.replace("0", ""), words);
  }

  /** Calls the command with text from a keyboard. */
  public Result type(String text, String... words) {
    InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return call(in, terminals, words);
  }

  /** Calls the command with closed pipes for standard output and standard error. */
  public int callUnheard(String... words) {
    OutputStream broken = failing("Broken pipe");
    return run(InputStream.nullInputStream(), terminals, broken, broken, words);
  }

  /** Calls the command with a standard output that fails for a reason. */
  public Result callFailing(String reason, String... words) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = run(InputStream.nullInputStream(), terminals, failing(reason), err, words);
    return new Result(code, "", err.toString(StandardCharsets.UTF_8));
  }

  private static OutputStream failing(String reason) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(reason);
      }
    };
  }

  /** Calls the command with a standard output whose reader needs 100 ms for each write. */
  public Result callBeforeSlowReader(String... words) {
    ByteArrayOutputStream slow =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            super.write(bytes, from, length);
          }
        };
    return call(InputStream.nullInputStream(), terminals, slow, words);
  }

  private Result call(InputStream in, String seen, String... words) {
    return call(in, seen, new ByteArrayOutputStream(), words);
  }

  private Result call(InputStream in, String seen, ByteArrayOutputStream out, String... words) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = run(in, seen, out, err, words);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private int run(
      InputStream in, String seen, OutputStream out, OutputStream err, String... words) {
    Environment environment = Environment.of(variables, in, out, err, folder, LAUNCHER, seen);
    return Cli.run(List.of(words), environment);
  }
}
