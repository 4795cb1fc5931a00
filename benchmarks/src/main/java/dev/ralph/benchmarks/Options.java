package dev.ralph.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command line options. Paths are null if not given.
 *
 * @param sizes the amount of work
 * @param json the file for the table
 * @param plot the file for the chart of store comparisons
 * @param growthPlot the file for the chart of growing logs
 * @param directory the parent folder of logs
 * @param checkout the version whose launcher is used; null for this jar's
 * @param before the version to compare with
 * @param ownBenchmarks whether that version runs its own benchmarks
 * @param rounds the number of rounds of the comparison
 * @param busyProcesses the number of processes that keep the machine busy
 * @param groups the groups in the order of execution
 */
record Options(
    Sizes sizes,
    @Nullable Path json,
    @Nullable Path plot,
    @Nullable Path growthPlot,
    @Nullable Path directory,
    @Nullable Path checkout,
    @Nullable Path before,
    boolean ownBenchmarks,
    int rounds,
    int busyProcesses,
    List<String> groups) {

  static final String USAGE =
      """
      usage: java -jar benchmarks.jar [OPTION...] [GROUP...]
        --quick            only test that all benchmarks run; the figures are meaningless
        --short            shorter runs, for comparisons of versions but not with goals
        --json FILE        also write the table as JSON
        --plot FILE        write a chart of the store comparisons as SVG
        --growth-plot FILE write a chart of the costs of growing logs as SVG
        --directory DIR    create the logs on the disk to measure; deleted at the end
        --vs-load N        run N busy processes during the benchmarks
        --vs CHECKOUT      compare with the built version in a folder
        --own-benchmarks   run that version's own benchmarks, because its API differs
        --rounds N         the number of alternating runs of both versions; default 5
        --checkout DIR     use the launcher in a folder
        GROUP              %s;
                           default all
      """
          .formatted(String.join(", ", Benchmarks.GROUPS));

  /**
   * Parses the arguments.
   *
   * @throws IllegalArgumentException if the arguments are not valid
   */
  static Options parse(List<String> arguments) {
    Sizes sizes = Sizes.FULL;
    Path[] paths = new Path[6];
    List<String> pathNames =
        List.of("--json", "--plot", "--growth-plot", "--directory", "--checkout", "--vs");
    boolean ownBenchmarks = false;
    int rounds = 5;
    int busyProcesses = 0;
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      boolean hasNext = i + 1 < arguments.size();
      if (argument.equals("--quick")) {
        sizes = Sizes.QUICK;
      } else if (argument.equals("--short")) {
        sizes = Sizes.SHORT;
      } else if (argument.equals("--own-benchmarks")) {
        ownBenchmarks = true;
      } else if (argument.equals("--rounds") && hasNext) {
        rounds = Integer.parseInt(arguments.get(++i));
      } else if (argument.equals("--vs-load") && hasNext) {
        busyProcesses = Integer.parseInt(arguments.get(++i));
      } else if (pathNames.contains(argument) && hasNext) {
        paths[pathNames.indexOf(argument)] = Path.of(arguments.get(++i)).toAbsolutePath();
      } else if (Benchmarks.GROUPS.contains(argument)) {
        groups.add(argument);
      } else {
        throw new IllegalArgumentException(argument);
      }
    }
    return new Options(
        sizes,
        paths[0],
        paths[1],
        paths[2],
        paths[3],
        paths[4],
        paths[5],
        ownBenchmarks,
        rounds,
        busyProcesses,
        Benchmarks.GROUPS.stream()
            .filter(group -> groups.isEmpty() || groups.contains(group))
            .toList());
  }
}
