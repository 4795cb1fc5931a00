package dev.ralph.chaos;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts JVMs with this JVM's class path. */
final class Jvm {

  private Jvm() {}

  /**
   * Returns a builder of a JVM process.
   *
   * @param prefix a command prefix, or empty
   * @param main the main class
   * @param arguments the main method's arguments
   */
  static ProcessBuilder builder(List<String> prefix, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    // performance data files are named by pid, and simulated hosts share pids
    command.add("-XX:-UsePerfData");
    command.addAll(openings());
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return builder;
  }

  /** Returns the module options of this JVM, which stores need in other JVMs too. */
  private static List<String> openings() {
    List<String> openings = new ArrayList<>();
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--add-")
          || argument.startsWith("--enable-native-access")
          || argument.startsWith("--sun-misc-unsafe")) {
        openings.add(argument);
      }
    }
    return openings;
  }
}
