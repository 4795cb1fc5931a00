package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Meta;
import dev.ralph.RalphException;
import dev.ralph.core.process.ManagedProcess;
import dev.ralph.core.process.ProcessExit;
import dev.ralph.core.process.ProcessMark;
import dev.ralph.core.process.ProcessSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs the commands that must succeed before a session counts as complete. */
final class Gates {

  /** A gate that was told to end is killed after its grace; that takes a moment too. */
  private static final Duration MARGIN = Duration.ofSeconds(16);

  private final LoopSettings settings;
  private final ProcessMark mark;
  private final Cancellation cancellation;
  private final Events events;

  Gates(LoopSettings settings, ProcessMark mark, Cancellation cancellation, Events events) {
    this.settings = settings;
    this.mark = mark;
    this.cancellation = cancellation;
    this.events = events;
  }

  /**
   * Runs all gates, one after the other, until the loop is cancelled or the time is up.
   *
   * @param iteration the newest one
   * @return why each that did not pass did not: its command, its exit code, its last lines
   */
  List<String> run(int iteration, TimeBox limit) {
    List<String> reasons = new ArrayList<>();
    for (Gate gate : settings.gates()) {
      if (cancellation.isRequested() || limit.isUp()) {
        reasons.add("gate not run: " + gate);
        continue;
      }
      Tail tail = new Tail();
      String outcome = run(gate, tail, limit);
      boolean passed = outcome.isEmpty();
      events.emit(
          LoopEvent.Type.GATE,
          iteration,
          passed ? "gate passed: " + gate : "gate " + outcome + ": " + gate,
          Meta.of("command", gate.command().stream().map(Words::unicode).toList())
              .with("passed", passed));
      if (!passed) {
        String said = tail.text();
        reasons.add(
            "gate "
                + outcome
                + ": "
                + Words.unicode(gate.toString())
                + (said.isEmpty() ? "\nIt printed nothing." : "\nIts last lines:\n" + said));
      }
    }
    return reasons;
  }

  /** Runs a gate; returns what went wrong, or an empty text. */
  private String run(Gate gate, Tail tail, TimeBox limit) {
    Worker<ProcessExit> worker = new Worker<>("ralph-gate", () -> process(gate, tail));
    worker.start();
    Worker.Cause cause = Worker.Cause.CANCELLED;
    try {
      cause = worker.await(limit, cancellation, () -> {});
    } finally {
      if (cause != Worker.Cause.DONE) {
        worker.interrupt();
        worker.awaitEnd(settings.grace().plus(MARGIN));
      }
    }
    switch (cause) {
      case DONE:
        return outcome(worker, tail);
      case TIMEOUT:
        return "ended, as the time allowed is up";
      default:
        return "ended, as the loop was cancelled";
    }
  }

  private static String outcome(Worker<ProcessExit> worker, Tail tail) {
    ProcessExit exit = worker.value();
    if (exit == null) {
      Throwable failure = worker.failure();
      tail.accept(failure == null ? "no reason is known" : String.valueOf(failure.getMessage()));
      return "could not be run";
    }
    return exit.isSuccess() ? "" : "failed with exit code " + exit.code();
  }

  /**
   * @throws RalphException INVALID if it can't be started
   */
  private ProcessExit process(Gate gate, Tail tail) throws InterruptedException {
    ManagedProcess process =
        ManagedProcess.start(
            ProcessSpec.command(gate.command())
                .directory(settings.directory())
                .mark(mark)
                .mergeStderr()
                .onStdout(tail)
                .build());
    try {
      return process.await(Duration.ofDays(36_500)).orElseThrow();
    } finally {
      process.terminate(settings.grace());
    }
  }
}
