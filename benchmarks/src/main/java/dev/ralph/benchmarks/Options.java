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
        --quick            only see that everything runs; the figures say nothing
        --short            less of everything: enough to compare versions, not to compare with goals
        --json FILE        write the table there as well
        --plot FILE        draw the stores side by side there, as SVG
        --growth-plot FILE draw what a growing log costs there, as SVG
        --directory DIR    make the logs there, on the disk to be measured; they are deleted at the end
        --vs-load N        keep N processes busy besides
        --vs CHECKOUT      compare with the version in that folder, which has to be built
        --own-benchmarks   measure that version by its own benchmarks, because its API is another one
        --rounds N         how often the two versions are run in turn, 5 if not given
        --checkout DIR     use the launcher in that folder
        GROUP              %s;
                           all if none is given
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
