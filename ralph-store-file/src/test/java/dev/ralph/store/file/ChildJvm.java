package dev.ralph.store.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a test class in its own process. */
final class ChildJvm {

  private ChildJvm() {}

  /** Returns the lines that the main class prints. */
  static List<String> run(Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    return run("", main, arguments);
  }

  /**
   * Returns the lines that the main class prints.
   *
   * @param before shell commands to run before the JVM, such as {@code ulimit -f 100;}
   */
  static List<String> run(String before, Class<?> main, Object... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", before + "exec \"$@\"", "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-XX:-UsePerfData", main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new AssertionError("the process failed, after it had said " + said);
      }
      return said.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }
}
