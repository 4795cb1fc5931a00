package dev.ralph.benchmarks;

import dev.ralph.store.chronicle.ChronicleStoreProvider;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A JVM of this program's class path, for what must be measured in a process of its own. */
final class ChildJvm implements AutoCloseable {

  /** What the launcher of the command tells the virtual machine. */
  static final List<String> LAUNCHER_FLAGS =
      List.of(
          "-XX:+IgnoreUnrecognizedVMOptions",
          "-XX:TieredStopAtLevel=1",
          "-XX:CompileThresholdScaling=5",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:ArchiveRelocationMode=0",
          "-XX:-AOTReplayTraining",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-Xlog:disable",
          "-Djdk.reflect.useNativeAccessorOnly=true");

  private final String name;
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(String name, Process process) {
    this.name = name;
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Returns the arguments that a JVM needs to use a kind of store. */
  static List<String> argumentsFor(String kind) {
    return kind.equals("chronicle") ? ChronicleStoreProvider.jvmArguments() : List.of();
  }

  /** Starts the main method of a class; what it prints to its standard error is shown. */
  static ChildJvm start(Class<?> main, List<String> jvmArguments, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(jvmArguments);
    command.add(Logs.directoryArgument());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new ChildJvm(main.getSimpleName(), builder.start());
  }

  /** Returns what it has used so far. */
  Usage usage() {
    return Usage.of(process.pid());
  }

  /** Returns the next line of numbers that it prints. */
  double[] figures() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException(name + " ended too early; see what it printed above");
    }
    String[] words = line.split(" ");
    double[] figures = new double[words.length];
    for (int i = 0; i < words.length; i++) {
      figures[i] = Double.parseDouble(words[i]);
    }
    return figures;
  }

  /**
   * Returns the next line of numbers that it prints: the figure, and what {@link #cost} says of it.
   */
  Measured costly() throws IOException {
    double[] figures = figures();
    return Measured.of(figures[0]).withCpu(figures[1]).withPeak(figures[2]).withP99(figures[3]);
  }

  /**
   * Returns what such a line has after its figure.
   *
   * @param count of what the whole life of this process did
   * @param p99Millis or NaN
   */
  static String cost(long count, double p99Millis) {
    Usage usage = Usage.ofThis();
    return " " + usage.cpuMillis() / count + " " + usage.peakMegabytes() + " " + p99Millis;
  }

  /** Ends it, if it has not ended yet. */
  @Override
  public void close() throws IOException {
    process.destroy();
    output.close();
  }
}
