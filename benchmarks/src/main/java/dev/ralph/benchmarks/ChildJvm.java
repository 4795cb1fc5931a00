package dev.ralph.benchmarks;

import dev.ralph.store.chronicle.ChronicleStoreProvider;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A JVM with this program's class path, for measurements in a separate process. */
final class ChildJvm implements AutoCloseable {

  /** The JVM flags of the command's launcher. */
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

  /** Returns the JVM arguments that a kind of store needs. */
  static List<String> argumentsFor(String kind) {
    return kind.equals("chronicle") ? ChronicleStoreProvider.jvmArguments() : List.of();
  }

  /** Starts the main method of a class; its standard error is passed on. */
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

  /** Returns the resources that the process has used. */
  Usage usage() {
    return Usage.of(process.pid());
  }

  /** Returns the next line of numbers that the process prints. */
  double[] figures() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new IOException(name + " ended too early; see its output above");
    }
    String[] words = line.split(" ");
    double[] figures = new double[words.length];
    for (int i = 0; i < words.length; i++) {
      figures[i] = Double.parseDouble(words[i]);
    }
    return figures;
  }

  /** Returns the next line of numbers as a figure with its {@link #cost}. */
  Measured costly() throws IOException {
    double[] figures = figures();
    return Measured.of(figures[0]).withCpu(figures[1]).withPeak(figures[2]).withP99(figures[3]);
  }

  /**
   * Returns the cost part of such a line.
   *
   * @param count the number of operations of the whole process
   * @param p99Millis the 99th percentile, or NaN
   */
  static String cost(long count, double p99Millis) {
    Usage usage = Usage.ofThis();
    return " " + usage.cpuMillis() / count + " " + usage.peakMegabytes() + " " + p99Millis;
  }

  /** Stops the process if it is still running. */
  @Override
  public void close() throws IOException {
    process.destroy();
    output.close();
  }
}
