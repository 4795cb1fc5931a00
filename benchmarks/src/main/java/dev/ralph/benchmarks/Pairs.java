package dev.ralph.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * JMH benchmarks to compare. They run alternately in rounds, each time in a new JVM, so that
 * changes of the machine's speed affect all of them.
 */
final class Pairs {

  private final Sizes sizes;
  private final Class<?> type;
  private final Map<Trial, Measured> measured = new LinkedHashMap<>();

  /**
   * A benchmark of each round.
   *
   * @param type the benchmark class
   * @param method the benchmark method
   * @param threads the number of threads
   * @param store the kind of store; empty if the benchmark has no such parameter
   */
  private record Trial(Class<?> type, String method, int threads, String store) {

    @Override
    public String toString() {
      String with = store.isEmpty() ? "" : " " + store;
      return type.getSimpleName() + "." + method + with + (threads == 1 ? "" : " x " + threads);
    }
  }

  Pairs(Sizes sizes, Class<?> type) {
    this.sizes = sizes;
    this.type = type;
  }

  /** Adds a benchmark to each round. */
  Pairs with(String method) {
    return with(method, 1);
  }

  /** Adds a benchmark with a number of threads to each round. */
  Pairs with(String method, int threadCount) {
    return with(type, method, threadCount, "");
  }

  /** Adds a benchmark of any class on a kind of store to each round. */
  Pairs with(Class<?> anyType, String method, int threadCount, String store) {
    measured.put(new Trial(anyType, method, threadCount, store), Measured.of());
    return this;
  }

  /** Runs all rounds. */
  Pairs run() throws RunnerException {
    for (int round = 1; round <= sizes.rounds(); round++) {
      for (Map.Entry<Trial, Measured> each : measured.entrySet()) {
        Benchmarks.progress(each.getKey() + ", " + round + " of " + sizes.rounds());
        each.setValue(each.getValue().and(run(each.getKey())));
      }
    }
    return this;
  }

  private Measured run(Trial trial) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(trial.type.getName() + "\\." + trial.method + "$")
            .threads(trial.threads)
            .forks(1)
            .warmupIterations(sizes.warmups())
            .warmupTime(TimeValue.milliseconds(sizes.iterationMillis()))
            .measurementIterations(sizes.iterations())
            .measurementTime(TimeValue.milliseconds(sizes.iterationMillis()))
            .jvmArgs(jvmArguments(trial).toArray(String[]::new))
            .addProfiler(CpuProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (!trial.store.isEmpty()) {
      options.param("store", trial.store);
    }
    if (trial.type != AppendBenchmark.class && trial.type != RawAppendBenchmark.class) {
      options.param("frames", Integer.toString(sizes.frames()));
    }
    Measured all = Measured.of();
    for (RunResult result : new Runner(options.build()).run()) {
      for (BenchmarkResult fork : result.getBenchmarkResults()) {
        for (IterationResult iteration : fork.getIterationResults()) {
          all = all.and(measured(trial, iteration));
        }
      }
    }
    return all;
  }

  /** Converts a result; the rate of sampled calls is that of their mean time. */
  private static Measured measured(Trial trial, IterationResult iteration) {
    Result<?> result = iteration.getPrimaryResult();
    Measured measured = Measured.of(result.getScore());
    if (iteration.getBenchmarkParams().getMode() == Mode.SampleTime) {
      int atOnce = iteration.getBenchmarkParams().getOpsPerInvocation();
      double p99Seconds = result.getStatistics().getPercentile(99) * atOnce;
      measured =
          Measured.of(trial.threads / result.getStatistics().getMean()).withP99(p99Seconds * 1000);
    }
    for (Result<?> each : iteration.getSecondaryResults().values()) {
      if (each.getLabel().endsWith(CpuProfiler.LABEL)) {
        measured = measured.withCpu(each.getScore());
      }
    }
    return measured;
  }

  /** Returns JVM arguments: memory for stores in memory, module options for Chronicle. */
  private static List<String> jvmArguments(Trial trial) {
    boolean memory = trial.store.equals("memory");
    String heap = memory ? "4g" : "1g";
    List<String> arguments =
        new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap, Logs.directoryArgument()));
    boolean raw = trial.type.getSimpleName().startsWith("Raw");
    arguments.addAll(ChildJvm.argumentsFor(raw ? "chronicle" : trial.store));
    return arguments;
  }

  /** Returns the measurements of all rounds. */
  Measured of(String method) {
    return of(method, 1);
  }

  /** Returns the measurements with several threads. */
  Measured of(String method, int threadCount) {
    return of(type, method, threadCount, "");
  }

  /** Returns the measurements of a benchmark on a kind of store. */
  Measured of(Class<?> anyType, String method, int threadCount, String store) {
    return measured.getOrDefault(new Trial(anyType, method, threadCount, store), Measured.of());
  }
}
