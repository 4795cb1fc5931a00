package dev.ralph.tck;

import dev.ralph.tck.internal.TimeLimit;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A running {@link StoreChild}, which is killed when this object is closed. */
final class ChildProcess implements AutoCloseable {

  /** Marks the end of the child's output; no output line contains a line break. */
  private static final String END = "\n";

  private final Process process;
  private final Writer commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  private ChildProcess(Process process) {
    this.process = process;
    this.commands =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    Thread reader = new Thread(this::readAnswers, "tck-child-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a child. The child opens the store asynchronously. */
  static ChildProcess start(
      StoreFixture fixture, Path temporary, long clockOffsetMillis, String... jvmArguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(fixture.jvmArguments());
    command.addAll(List.of(jvmArguments));
    command.add(StoreChild.class.getName());
    command.add(fixture.provider().name());
    command.add(StoreChild.argument(fixture.place(temporary)));
    command.add(Long.toString(clockOffsetMillis));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChildProcess(builder.start());
  }

  private void readAnswers() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException killedWhileWriting) {
      // complete lines were read already
    }
    answers.add(END);
  }

  long pid() {
    return process.pid();
  }

  void send(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("child " + pid() + " accepts no commands", e);
    }
  }

  /** Waits until the child has opened the store or failed, and returns its answer. */
  String opening() throws InterruptedException {
    String line = answers.poll(TimeLimit.patience().toMillis(), TimeUnit.MILLISECONDS);
    if (line == null || line.equals(END)) {
      throw new AssertionError("child " + pid() + " did not open the store in time");
    }
    return line;
  }

  /**
   * Waits for an answer that begins with the given word.
   *
   * @return all answers up to the expected line
   */
  List<String> until(String word) throws InterruptedException {
    List<String> lines = new ArrayList<>();
    TimeLimit deadline = TimeLimit.in(TimeLimit.patience());
    while (true) {
      String line = answers.poll(deadline.left().toMillis(), TimeUnit.MILLISECONDS);
      if (line == null || line.equals(END) || line.startsWith("failed")) {
        throw new AssertionError(
            "child "
                + pid()
                + " did not say "
                + word
                + " but "
                + line
                + " after "
                + lines.size()
                + " lines");
      }
      lines.add(line);
      if (line.startsWith(word)) {
        return lines;
      }
    }
  }

  /** Waits for the end of the command and returns its result, the text after {@code done}. */
  String done() throws InterruptedException {
    List<String> lines = until("done");
    return lines.get(lines.size() - 1).substring("done ".length());
  }

  /** Kills the process with SIGKILL and returns its remaining output. */
  List<String> kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(TimeLimit.patience().toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("child " + pid() + " survives a kill");
    }
    List<String> lines = new ArrayList<>();
    for (String line = answers.take(); !line.equals(END); line = answers.take()) {
      lines.add(line);
    }
    return lines;
  }

  /** Stops the process with SIGSTOP and waits until it is stopped. */
  void stop() throws IOException, InterruptedException {
    signal("STOP");
    Path state = Path.of("/proc", Long.toString(pid()), "stat");
    TimeLimit.await(
        "child " + pid() + " does not stop",
        () -> {
          try {
            return !Files.exists(state) || Files.readString(state).contains(") T ");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " \"$1\"", "sh", Long.toString(pid()))
            .redirectErrorStream(true)
            .start();
    int exit = kill.waitFor();
    if (exit != 0) {
      throw new AssertionError("SIG" + name + " could not be sent to child " + pid());
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
