package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.core.internal.process.GateRun;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs the commands that must succeed before a session counts as complete. */
final class Gates {

  /** A gate that was told to end is killed after its grace; that takes a moment too. */
  private static final Duration MARGIN = Duration.ofSeconds(16);

  /** Whoever waits for the gate knows how long it may take. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

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
      Meta command = Meta.of("command", gate.command().stream().map(Words::unicode).toList());
      events.emit(LoopEvent.Type.GATE_STARTED, iteration, "gate: " + gate, command);
      GateRun run = new GateRun(gate, settings.directory(), mark);
      String wrong = await(run, limit);
      boolean passed = wrong.isEmpty();
      events.emit(
          LoopEvent.Type.GATE,
          iteration,
          passed ? "gate passed: " + gate : "gate " + wrong + ": " + gate,
          command.with("passed", passed));
      if (!passed) {
        reasons.add(Words.unicode(run.reason(wrong)));
      }
    }
    return reasons;
  }

  /** Runs a gate on a thread of its own; returns what went wrong, or an empty text. */
  private String await(GateRun run, TimeBox limit) {
    Worker<String> worker = new Worker<>("ralph-gate", () -> run.run(UNLIMITED, settings.grace()));
    worker.start();
    Worker.Cause cause = Worker.Cause.CANCELLED;
    try {
      cause = worker.await(limit, cancellation, new Cancellation(), () -> {});
    } finally {
      if (cause != Worker.Cause.DONE) {
        worker.interrupt();
        worker.awaitEnd(settings.grace().plus(MARGIN));
      }
    }
    return switch (cause) {
      case DONE -> outcome(worker);
      case TIMEOUT -> GateRun.TIME_UP;
      case CANCELLED -> "ended, as the loop was cancelled";
    };
  }

  private static String outcome(Worker<String> worker) {
    String wrong = worker.value();
    return wrong == null ? "could not be run: " + worker.failure() : wrong;
  }
}
