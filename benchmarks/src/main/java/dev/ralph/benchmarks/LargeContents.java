package dev.ralph.benchmarks;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.benchmarks.Report.Goal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures commands that show a session with large notes and messages, with little memory, in
 * comparison with a session of as many short ones.
 */
final class LargeContents {

  private static final String SESSION = "auth";

  private static final List<String> COMMANDS =
      List.of(
          "status",
          "notes",
          "notes --json",
          "inbox",
          "note show n1",
          "log --limit 100",
          "log",
          "diff 2020-01-01");

  private static final String LITTLE_MEMORY = "-Xmx128m";

  private static final int LARGE = 1024 * 1024;

  private static final int SHORT = 100;

  private LargeContents() {}

  private static void make(Path store, int count, int characters) {
    try (Ralph ralph = Ralph.open(store)) {
      Session session = ralph.session(SESSION);
      String text = "x".repeat(characters);
      for (int i = 0; i < count; i++) {
        session.notes().add("learning", "note " + i + ": " + text);
        session.inbox().send("message " + i + ": " + text);
      }
    }
  }

  /** Measures the commands through the launcher. */
  static void measure(Sizes sizes, Report report, @Nullable Path ralph)
      throws IOException, InterruptedException {
    if (ralph == null) {
      Benchmarks.progress("skipped: no launcher");
      return;
    }
    int count = sizes.growthMegabytes() / 2;
    Path large = Logs.directory().resolve("large-contents");
    Path small = Logs.directory().resolve("short-contents");
    make(large, count, LARGE);
    make(small, count, SHORT);
    for (String command : COMMANDS) {
      double[] ours = new double[sizes.starts()];
      double[] baseline = new double[sizes.starts()];
      for (int i = 0; i < ours.length; i++) {
        ours[i] = run(ralph, command, large);
        baseline[i] = run(ralph, command, small);
      }
      report.add(
          "ralph "
              + command
              + ", "
              + 2 * count
              + " MB of texts, "
              + LITTLE_MEMORY
              + " (short texts)",
          "ms",
          Measured.of(ours),
          Measured.of(baseline),
          Goal.oursAtMost(1_000));
    }
  }

  private static double run(Path ralph, String command, Path store)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(ralph.toString()));
    words.addAll(List.of(command.split(" ")));
    words.addAll(List.of("--name", SESSION, "--store", store.toString()));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("JAVA_TOOL_OPTIONS", LITTLE_MEMORY);
    builder.redirectErrorStream(true);
    builder.redirectOutput(Logs.directory().resolve("answer").toFile());
    long begin = System.nanoTime();
    Process process = builder.start();
    process.getOutputStream().close();
    int code = process.waitFor();
    double millis = (System.nanoTime() - begin) / 1e6;
    if (code != 0) {
      throw new IOException("ralph " + command + " ended with " + code);
    }
    return millis;
  }
}
