package dev.ralph.store.chronicle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a class of the tests in a process of its own. */
final class ChildJvm {

  private ChildJvm() {}

  /** Returns all that the process prints, on either stream, line by line. */
  static List<String> run(List<String> jvmArguments, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    return runBy(List.of(), jvmArguments, main, arguments);
  }

  /** Returns whether a program may be started under {@code unshare} with such arguments. */
  static boolean runs(List<String> unshare) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("unshare"));
    command.addAll(unshare);
    command.add("true");
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException notThere) {
      return false;
    }
  }

  /** Runs it under {@code unshare} with such arguments. */
  static List<String> runUnder(
      List<String> unshare, List<String> jvmArguments, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    List<String> by = new ArrayList<>(List.of("unshare"));
    by.addAll(unshare);
    return runBy(by, jvmArguments, main, arguments);
  }

  /** Runs it by a command that starts the one behind its arguments. */
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
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        throw new AssertionError("the process goes on, after it had said " + said);
      }
      return said.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
