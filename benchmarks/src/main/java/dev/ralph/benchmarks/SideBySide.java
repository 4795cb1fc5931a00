package dev.ralph.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** Measures all kinds of stores alternately in the same tasks. */
final class SideBySide {

  private static final List<String> DURABLE = List.of("file", "chronicle");
  private static final int SMALL = 10;
  private static final int PROCESSES = 2;

  private final Sizes sizes;
  private final Report report;

  SideBySide(Sizes sizes, Report report) {
    this.sizes = sizes;
    this.report = report;
  }

  void run() throws IOException, InterruptedException, RunnerException {
    append();
    appendTogether();
    read();
    open();
    follow();
  }

  private void append() throws RunnerException {
    List<String> methods = List.of("single", "batch", "synced");
    List<String> names =
        List.of(
            "append one frame", "append batches of " + AppendBenchmark.BATCH, "append one, synced");
    Pairs pairs = new Pairs(sizes, AppendBenchmark.class);
    for (String method : methods) {
      for (int threads : sizes.threads()) {
        for (String kind : Comparison.KINDS) {
          pairs.with(AppendBenchmark.class, method, threads, kind);
        }
      }
    }
    pairs.run();
    for (int i = 0; i < methods.size(); i++) {
      for (int threads : sizes.threads()) {
        String with = threads == 1 ? ", 1 thread" : ", " + threads + " threads";
        Comparison comparison = Comparison.ofRates(names.get(i) + with, "frames/s");
        for (String kind : Comparison.KINDS) {
          comparison.with(kind, pairs.of(AppendBenchmark.class, methods.get(i), threads, kind));
        }
        report.add(comparison);
      }
    }
  }

  private void appendTogether() throws IOException {
    appendTogether("append one frame", 1, false);
    appendTogether("append batches of 100", 100, false);
    appendTogether("append one, synced", 1, true);
  }

  private void appendTogether(String name, int framesPerBatch, boolean synced) throws IOException {
    Comparison comparison =
        Comparison.ofRates(name + ", " + PROCESSES + " processes together", "frames/s");
    int millis = sizes.iterations() * sizes.iterationMillis();
    for (int round = 0; round < sizes.rounds(); round++) {
      for (String kind : DURABLE) {
        Benchmarks.progress(name + ", " + PROCESSES + " processes, " + kind);
        comparison.with(
            kind, SharedAppend.measure(kind, PROCESSES, framesPerBatch, synced, millis));
      }
    }
    report.add(comparison);
  }

  private void read() throws RunnerException {
    List<String> methods = List.of("oneInFiveFolded", "reduced");
    List<String> names = List.of("read one topic of five", "reduce all topics");
    Pairs pairs = new Pairs(sizes, ReadBenchmark.class);
    for (String method : methods) {
      for (String kind : Comparison.KINDS) {
        pairs.with(ReadBenchmark.class, method, 1, kind);
      }
    }
    pairs.run();
    for (int i = 0; i < methods.size(); i++) {
      Comparison comparison =
          Comparison.ofRates(names.get(i) + ", of " + sizes.frames() + " frames", "frames/s");
      for (String kind : Comparison.KINDS) {
        comparison.with(
            kind, pairs.of(ReadBenchmark.class, methods.get(i), 1, kind).perSecond(sizes.frames()));
      }
      report.add(comparison);
    }
  }

  private void open() throws IOException {
    for (int frames : new int[] {SMALL, sizes.frames()}) {
      Comparison comparison =
          Comparison.ofTimes("open and find the last frame, of " + frames, "ms");
      for (int round = 0; round < sizes.rounds() * sizes.iterations(); round++) {
        for (String kind : DURABLE) {
          Path log = Logs.of(kind, frames, 1, 1);
          Benchmarks.progress("open " + frames + ", " + kind);
          try (ChildJvm child =
              ChildJvm.start(ColdOpen.class, ChildJvm.argumentsFor(kind), kind, log.toString())) {
            comparison.with(kind, child.costly());
          }
        }
      }
      report.add(comparison);
    }
  }

  private void follow() throws IOException, InterruptedException {
    Comparison within = Comparison.ofTimes("append to seen, synced, same process", "ms");
    Comparison between = Comparison.ofTimes("append to seen, synced, another process", "ms");
    for (int round = 0; round < sizes.rounds(); round++) {
      for (String kind : Comparison.KINDS) {
        Benchmarks.progress("follow, " + kind);
        within.with(kind, Measured.ofCalls(FollowLatency.withinProcess(kind, sizes)));
      }
      for (String kind : DURABLE) {
        between.with(kind, Measured.ofCalls(FollowLatency.betweenProcesses(kind, sizes)));
      }
    }
    report.add(within);
    report.add(between);
  }
}
