package dev.ralph.chaos;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** What opens the platform to a store, which the processes started here need like this one. */
final class JvmArguments {

  private JvmArguments() {}

  static List<String> ofThisJvm() {
    List<String> arguments = new ArrayList<>();
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--add-")
          || argument.startsWith("--enable-native-access")
          || argument.startsWith("--sun-misc-unsafe")) {
        arguments.add(argument);
      }
    }
    return arguments;
  }
}
