package dev.ralph.spring.boot;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Measures the start-up time that the starter adds to an application. Run by hand. */
final class StartTimes {

  private StartTimes() {}

  /** A web application with an actuator and nothing else. */
  @EnableAutoConfiguration
  static class Application {

    /**
     * Starts and stops the application, and prints the start-up time and the CPU time of this
     * thread.
     */
    public static void main(String[] arguments) {
      SpringApplication.run(Application.class, arguments).close();
      long uptime = ManagementFactory.getRuntimeMXBean().getUptime();
      long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      System.out.println("times " + uptime + " " + used / 1_000_000);
    }
  }

  /**
   * Starts pairs of applications and prints the medians.
   *
   * @param arguments the number of pairs, and a folder for the stores
   */
  public static void main(String[] arguments) throws IOException {
    List<String> places = new ArrayList<>();
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!place.matches(".*(langchain4j|spring-ai|opentelemetry|tracing|ralph-test).*")) {
        places.add(place); // the other entries are for tests
      }
    }
    String all = String.join(File.pathSeparator, places);
    places.removeIf(place -> place.matches(".*/ralph-[^/]*(\\.jar|/target/classes)"));
    String bare = String.join(File.pathSeparator, places);
    List<long[]> without = new ArrayList<>();
    List<long[]> with = new ArrayList<>();
    for (int pair = 0; pair < Integer.parseInt(arguments[0]); pair++) {
      String store = Path.of(arguments[1], "store-" + pair).toString();
      without.add(start(bare, store));
      with.add(start(all, store));
    }
    for (int kind = 0; kind < 2; kind++) {
      System.out.printf(
          Locale.ROOT,
          "%s: %d ms without, %d ms with it, medians of %d starts%n",
          kind == 0 ? "start and end" : "of a processor, by its main thread",
          median(without, kind),
          median(with, kind),
          with.size());
    }
  }

  private static long[] start(String path, String store) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            Application.class.getName(),
            "--server.port=0",
            "--ralph.store=" + store,
            "--spring.main.banner-mode=off");
    builder.environment().put("CLASSPATH", path);
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int times = said.lastIndexOf("times ");
    if (times < 0) {
      throw new IOException(said);
    }
    String[] words = said.substring(times).trim().split(" ");
    return new long[] {Long.parseLong(words[1]), Long.parseLong(words[2])};
  }

  private static long median(List<long[]> times, int kind) {
    List<Long> sorted = new ArrayList<>();
    times.forEach(each -> sorted.add(each[kind]));
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }
}
