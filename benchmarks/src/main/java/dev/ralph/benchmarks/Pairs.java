package dev.ralph.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * JMH benchmarks that are compared: run in turn, round by round, each time in a JVM of its own, so
 * that a machine that gets slower or faster meanwhile does so for all of them.
 */
final class Pairs {

  private final Sizes sizes;
  private final Map<String, List<Double>> samples = new LinkedHashMap<>();
  private final Map<String, Integer> threads = new LinkedHashMap<>();
  private final Class<?> type;

  Pairs(Sizes sizes, Class<?> type) {
    this.sizes = sizes;
    this.type = type;
  }

  /** Adds a benchmark to each round. */
  Pairs with(String method) {
    return with(method, 1);
  }

  /** Adds a benchmark to each round, with that many threads. */
  Pairs with(String method, int threadCount) {
    samples.put(key(method, threadCount), new ArrayList<>());
    threads.put(key(method, threadCount), threadCount);
    return this;
  }

  private static String key(String method, int threadCount) {
    return threadCount == 1 ? method : method + " " + threadCount;
  }

  /** Runs all rounds. */
  Pairs run() throws RunnerException {
    for (int round = 1; round <= sizes.rounds(); round++) {
      for (Map.Entry<String, List<Double>> each : samples.entrySet()) {
        Benchmarks.progress(
            type.getSimpleName() + " " + each.getKey() + ", " + round + " of " + sizes.rounds());
        each.getValue().addAll(run(each.getKey()));
      }
    }
    return this;
  }

  private List<Double> run(String key) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(type.getName() + "\\." + key.split(" ")[0] + "$")
            .threads(threads.getOrDefault(key, 1))
            .forks(1)
            .warmupIterations(sizes.warmups())
            .warmupTime(TimeValue.milliseconds(sizes.iterationMillis()))
            .measurementIterations(sizes.iterations())
            .measurementTime(TimeValue.milliseconds(sizes.iterationMillis()))
            .jvmArgs("-Xms1g", "-Xmx1g", Logs.directoryArgument())
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (type != AppendBenchmark.class) {
      options.param("frames", Integer.toString(sizes.frames()));
    }
    List<Double> scores = new ArrayList<>();
    for (RunResult result : new Runner(options.build()).run()) {
      result
          .getBenchmarkResults()
          .forEach(
              fork -> {
                for (IterationResult iteration : fork.getIterationResults()) {
                  scores.add(iteration.getPrimaryResult().getScore());
                }
              });
    }
    return scores;
  }

  /** Returns the median score over all rounds. */
  double median(String method) {
    return median(method, 1);
  }

  /** Returns the median score with that many threads over all rounds. */
  double median(String method, int threadCount) {
    List<Double> found = samples.getOrDefault(key(method, threadCount), List.of());
    return Report.median(found.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
