package dev.ralph.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Reports the CPU time of all threads of the JVM to JMH, per operation. */
public final class CpuProfiler implements InternalProfiler {

  /** The name of the result, which JMH may extend. */
  static final String LABEL = "cpu";

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private long before;

  @Override
  public String getDescription() {
    return "processor time";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = system.getProcessCpuTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double millis = (system.getProcessCpuTime() - before) / 1e6;
    long count = Math.max(1, result.getMetadata().getAllOps());
    return List.of(new ScalarResult(LABEL, millis / count, "ms", AggregationPolicy.AVG));
  }
}
