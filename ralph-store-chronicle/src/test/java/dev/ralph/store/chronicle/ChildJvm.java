package dev.ralph.store.chronicle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a test class in a process of its own. */
final class ChildJvm {

  private ChildJvm() {}

  /** Runs a class; returns the lines of both output streams. */
  static List<String> run(List<String> jvmArguments, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    return runBy(List.of(), jvmArguments, main, arguments);
  }

  /** Returns whether {@code unshare} accepts the arguments. */
  static boolean runs(List<String> unshare) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("unshare"));
    command.addAll(unshare);
    command.add("true");
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  /** Runs a class under {@code unshare}; returns the lines of both output streams. */
  static List<String> runUnder(
      List<String> unshare, List<String> jvmArguments, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    List<String> by = new ArrayList<>(List.of("unshare"));
    by.addAll(unshare);
    return runBy(by, jvmArguments, main, arguments);
  }

  /** Runs a class by a command that starts the program after its arguments. */
  static List<String> runBy(
      List<String> by, List<String> jvmArguments, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(by);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(jvmArguments);
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        throw new AssertionError("the process does not end; output: " + output);
      }
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
