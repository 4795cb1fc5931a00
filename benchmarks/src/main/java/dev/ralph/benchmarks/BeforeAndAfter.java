package dev.ralph.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares two versions by running each group of benchmarks alternately, so that changes of the
 * machine's speed affect both. By default both versions run this program's benchmarks and differ
 * only in the measured classes.
 */
final class BeforeAndAfter {

  private final Options options;
  private final Path work;
  private final Path benchmarks;
  private final Version before;
  private final Version after;
  private final Map<String, Change> changes = new LinkedHashMap<>();

  /**
   * A version.
   *
   * @param name the name of the version
   * @param checkout the checkout, with the launcher
   * @param classPath the benchmarks and the measured classes
   */
  private record Version(String name, Path checkout, String classPath) {}

  /**
   * Prepares a comparison.
   *
   * @param options the options of the run
   * @param checkoutBefore the built checkout of the earlier version
   * @param checkoutAfter the built checkout of the later version
   */
  BeforeAndAfter(Options options, Path checkoutBefore, Path checkoutAfter) throws IOException {
    this.options = options;
    this.work = Logs.directory().resolve("versions");
    // The same layout as in a checkout, where the benchmarks look for the script.
    this.benchmarks = Files.createDirectories(work.resolve("target")).resolve("benchmarks.jar");
    Path script = Benchmarks.jar().resolveSibling("../processes.sh").normalize();
    if (Files.exists(script)) {
      Files.copy(script, work.resolve("processes.sh"));
    }
    copyJar(Benchmarks.jar(), benchmarks, BeforeAndAfter::isOfBenchmarks);
    this.before = version("before", checkoutBefore, options.ownBenchmarks());
    this.after = version("after", checkoutAfter, false);
  }

  private Version version(String name, Path checkout, boolean ownBenchmarks) throws IOException {
    Path jar = checkout.resolve("benchmarks/target/benchmarks.jar");
    if (!Files.exists(jar)) {
      throw new IOException(
          "not found: "
              + jar
              + "; run `mvn -pl benchmarks,ralph-cli -am package -DskipTests` in "
              + checkout);
    }
    if (ownBenchmarks) {
      return new Version(name, checkout, jar.toString());
    }
    Path library = benchmarks.resolveSibling(name + ".jar");
    copyJar(jar, library, entry -> !isOfBenchmarks(entry));
    return new Version(name, checkout, benchmarks + File.pathSeparator + library);
  }

  private static boolean isOfBenchmarks(String entry) {
    return entry.startsWith("dev/ralph/benchmarks/")
        || entry.equals("META-INF/BenchmarkList")
        || entry.equals("META-INF/CompilerHints");
  }

  private static void copyJar(Path from, Path to, Predicate<String> wanted) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(to))) {
      JarEntries.copy(from, wanted, out);
    }
  }

  /** Runs all rounds and prints the table; returns whether a benchmark became slower. */
  boolean run(Load load) throws IOException, InterruptedException {
    int rounds = options.sizes() == Sizes.QUICK ? 1 : options.rounds();
    for (int round = 1; round <= rounds; round++) {
      for (String group : options.groups()) {
        Benchmarks.progress(group + ", round " + round + " of " + rounds);
        boolean inOrder = round % 2 == 1;
        JsonNode first = measure(group, inOrder ? before : after);
        JsonNode second = measure(group, inOrder ? after : before);
        if (first != null && second != null) {
          take(inOrder ? first : second, inOrder ? second : first);
        }
      }
    }
    List<String[]> lines = new ArrayList<>();
    lines.add(Change.HEAD);
    changes.values().forEach(change -> lines.add(change.cells()));
    System.out.print(
        load.text()
            + "; "
            + rounds
            + " rounds; "
            + before.checkout
            + " against "
            + after.checkout
            + "\n\n"
            + Report.table(lines, 2, Change.HEAD.length - 2));
    return changes.values().stream().anyMatch(Change::isSlower);
  }

  /** Returns the table of a group, or null if the group does not run with that version. */
  private @Nullable JsonNode measure(String group, Version version)
      throws IOException, InterruptedException {
    Path json = work.resolve("table.json");
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(ChildJvm.argumentsFor("chronicle"));
    command.addAll(
        List.of(
            "-cp",
            version.classPath,
            Benchmarks.class.getName(),
            options.sizes() == Sizes.QUICK ? "--quick" : "--short",
            "--json",
            json.toString(),
            "--directory",
            work.resolve("logs").toString(),
            "--checkout",
            version.checkout.toString(),
            group));
    Path log = work.resolve("log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (process.waitFor() != 0) {
      Benchmarks.progress(
          group + " does not run with the version " + version.name + ":\n" + Files.readString(log));
      return null;
    }
    return new ObjectMapper().readTree(json.toFile());
  }

  private void take(JsonNode tableBefore, JsonNode tableAfter) {
    for (JsonNode row : tableAfter.path("rows")) {
      JsonNode same = named(tableBefore.path("rows"), row);
      take(row, "", same.path("ours"), row.path("ours"));
      take(row, ", baseline", same.path("baseline"), row.path("baseline"));
    }
    for (JsonNode row : tableAfter.path("stores")) {
      JsonNode same = named(tableBefore.path("stores"), row);
      for (String kind : Comparison.KINDS) {
        take(row, ", " + kind, same.path(kind), row.path(kind));
      }
    }
  }

  private static JsonNode named(JsonNode rows, JsonNode like) {
    for (JsonNode row : rows) {
      if (row.path("name").equals(like.path("name"))) {
        return row;
      }
    }
    return rows.path("none");
  }

  private void take(JsonNode row, String suffix, JsonNode one, JsonNode other) {
    if (one.has("median") && other.has("median")) {
      String name = row.path("name").asText() + suffix;
      String unit = row.path("unit").asText();
      boolean isOurs = !suffix.equals(", baseline");
      changes
          .computeIfAbsent(name, any -> new Change(name, unit, isOurs))
          .take(measured(one), measured(other));
    }
  }

  private static Measured measured(JsonNode node) {
    return Measured.of(node.path("median").asDouble())
        .withCpu(node.path("cpuMillis").asDouble(Double.NaN));
  }
}
