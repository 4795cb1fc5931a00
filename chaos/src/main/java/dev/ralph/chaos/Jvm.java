package dev.ralph.chaos;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that run a class of the class path of this one. */
final class Jvm {

  private Jvm() {}

  /**
   * Returns what starts a process.
   *
   * @param prefix a command that runs what is added to its arguments, or nothing
   */
  static ProcessBuilder builder(List<String> prefix, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-XX:-UsePerfData"); // its files are named by pids, which several hosts have
    command.addAll(openings());
    command.add(main.getName());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return builder;
  }

  /** Returns what opens the platform to a store: what this JVM was given is needed there too. */
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
