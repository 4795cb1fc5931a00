package dev.ralph.core.internal.tool;

import dev.ralph.Gate;
import dev.ralph.Redactor;
import dev.ralph.core.internal.gate.GateResult;
import dev.ralph.core.internal.gate.GateRun;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The gates that run when an agent declares completion, so that the agent learns of failures
 * immediately. They only save an iteration: the loop runs its own gates before it accepts
 * completion.
 */
final class CompletionGates {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private final List<Gate.Command> gates;
  private final Path directory;
  private final Duration limit;

  /** Prevents concurrent runs, which could interfere. */
  private final ReentrantLock running = new ReentrantLock();

  /**
   * @param limit the time limit of all gates together; clients abandon a call after a minute
   */
  CompletionGates(List<Gate.Command> gates, Path directory, Duration limit) {
    this.gates = gates;
    this.directory = directory.toAbsolutePath();
    this.limit = limit;
  }

  boolean isEmpty() {
    return gates.isEmpty();
  }

  /**
   * Runs all gates in sequence.
   *
   * @param client receives the running gate every few seconds
   * @return false if the time limit was reached before all gates had ended
   * @throws RalphException INVALID if a gate failed, with its output; CLOSED if the call was
   *     cancelled or the server closed
   */
  boolean run(Consumer<String> client) {
    if (gates.isEmpty()) {
      return true;
    }
    long begun = System.nanoTime();
    AtomicInteger current = new AtomicInteger();
    Supplier<String> told =
        () ->
            "gate "
                + (current.get() + 1)
                + " of "
                + gates.size()
                + ": "
                + gates.get(current.get())
                + ", "
                + Duration.ofNanos(System.nanoTime() - begun).toSeconds()
                + " s";
    try {
      running.lockInterruptibly();
      Heartbeat heartbeat = new Heartbeat(told, client);
      try {
        return run(begun + limit.toNanos(), current);
      } finally {
        heartbeat.end();
        running.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RalphException.closed("the call or its tools");
    }
  }

  private boolean run(long deadline, AtomicInteger current) throws InterruptedException {
    List<String> reasons = new ArrayList<>();
    boolean finished = true;
    for (int i = 0; i < gates.size(); i++) {
      current.set(i);
      Gate.Command gate = gates.get(i);
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      Optional<GateResult> result = left.isZero() ? Optional.empty() : run(gate, left);
      finished &= result.isPresent();
      result.filter(each -> !each.isPassed()).map(GateResult::reason).ifPresent(reasons::add);
    }
    if (!reasons.isEmpty()) {
      throw RalphException.invalid(
          "not complete: "
              + String.join("\n", reasons)
              + "\nCorrect the cause, then call session_complete again");
    }
    return finished;
  }

  /** Runs a gate; returns its result, or empty after the time limit. */
  private Optional<GateResult> run(Gate.Command gate, Duration limit) throws InterruptedException {
    try {
      return new GateRun(gate.command(), directory, ProcessMark.unique(), Redactor.none())
          .run(limit, GRACE)
          .map(verdict -> GateResult.of(gate, verdict));
    } catch (RalphException cannotStart) {
      return Optional.of(
          GateResult.without(
              gate, GateResult.Kind.BROKEN, String.valueOf(cannotStart.getMessage())));
    }
  }
}
