package dev.ralph.core.internal.loop;

import dev.ralph.Control.Activity;
import dev.ralph.Gate;
import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.gate.GateResult;
import dev.ralph.core.internal.gate.GateResult.Kind;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.run.ActivityReporter;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.CutOffWork;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.TimeBox;
import dev.ralph.core.internal.loop.run.Transcript;
import dev.ralph.core.internal.loop.run.WorkScope;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.LogText;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/** Runs the gates that must pass before a session counts as complete. */
final class Gates {

  private static final System.Logger LOG = System.getLogger(Gates.class.getPackageName());

  /** The time to kill a cancelled gate after its grace. */
  private static final Duration MARGIN = Duration.ofSeconds(16);

  private final LiveSession session;
  private final LoopSettings settings;
  private final ProcessMark mark;
  private final Redactor redactor;
  private final Cancellation cancellation;
  private final LoopEvents events;
  private final ActivityReporter doing;
  private final LoopClock time;
  private final WorkScope scope;

  Gates(LoopSession session, LoopSettings settings, LoopReporter reporter, Redactor redactor) {
    this.session = session.present();
    this.settings = settings;
    this.mark = settings.several() == null ? session.mark() : session.mark().ofAgent(0);
    this.redactor = redactor;
    this.cancellation = session.cancellation();
    this.events = reporter.events();
    this.doing = reporter.activity();
    this.time = session.time();
    this.scope = session.work();
  }

  /** Runs all gates of the loop in its folder, like {@link #run}. */
  List<String> runAll(int iteration, TimeBox limit) {
    return run(
        settings.gates(), settings.finalGates(), settings.directory(), List.of(), iteration, limit);
  }

  /**
   * Runs gates in sequence until the loop is cancelled or the time is up.
   *
   * @param gates some gates of the loop
   * @param last gates to run last, only after all preceding gates have passed
   * @param folder the working directory
   * @param of the tasks whose work is to be merged, such as {@code t4}; empty for all work
   * @param iteration the newest iteration
   * @return the reasons of the failed gates
   * @throws Error if a gate throws one, because an error is a fault of the program
   */
  List<String> run(
      List<Gate> gates,
      List<Gate> last,
      Path folder,
      List<String> of,
      int iteration,
      TimeBox limit) {
    return run(gates, last, folder, of, iteration, limit, new HashSet<>());
  }

  /**
   * Runs gates, and collects the names of failed gates.
   *
   * @param names collects the names of the gates that failed
   */
  List<String> run(
      List<Gate> gates,
      List<Gate> last,
      Path folder,
      List<String> of,
      int iteration,
      TimeBox limit,
      Set<String> names) {
    List<GateResult> failed = new ArrayList<>();
    Transcript record =
        new Transcript(
            session.iterations(),
            iteration,
            redactor::redact,
            session.clock(),
            settings.record() && iteration > 0);
    for (Gate gate : gates) {
      runNext(gate, folder, of, iteration, limit, record, failed);
    }
    for (Gate gate : last) {
      if (failed.isEmpty()) {
        runNext(gate, folder, of, iteration, limit, record, failed);
      }
    }
    record.flush();
    failed.forEach(result -> names.add(result.gate().name()));
    return failed.stream()
        .map(GateResult::reason)
        .map(redactor::redact)
        .map(LogText::unicode)
        .toList();
  }

  /** Runs a gate if time remains, and adds the gate's result to the failures unless passed. */
  private void runNext(
      Gate gate,
      Path folder,
      List<String> of,
      int iteration,
      TimeBox limit,
      Transcript record,
      List<GateResult> failed) {
    if (cancellation.isRequested() || limit.isUp()) {
      failed.add(GateResult.without(gate, Kind.NOT_RUN, ""));
      return;
    }
    events.gateStarted(iteration, gate);
    doing.begin(Activity.Kind.GATE, gate.name(), of);
    GateResult result = run(gate, folder, iteration, limit);
    doing.end();
    record.add(result.recorded());
    events.gateEnded(iteration, result);
    if (!result.isPassed()) {
      failed.add(result);
    }
  }

  private GateResult run(Gate gate, Path folder, int iteration, TimeBox limit) {
    GateContext context =
        new GateContext(session, iteration, folder, settings.grace(), mark, redactor);
    CutOffWork<Verdict> work =
        new CutOffWork<>(settings.threads("ralph-gate"), () -> gate.check(context));
    scope.add(work);
    CutOffWork.Cause cause = CutOffWork.Cause.CANCELLED;
    try {
      work.start();
      cause = work.await(time, limit, cancellation, new Cancellation(), doing::goesOn);
    } catch (RejectedExecutionException e) {
      return GateResult.without(
          gate, Kind.BROKEN, "the loop's executor rejected the gate: " + e.getMessage());
    } finally {
      if (cause != CutOffWork.Cause.DONE) {
        end(work, gate);
      }
      scope.remove(work);
    }
    if (work.failure() instanceof Error error) {
      throw error;
    }
    if (work.failure() instanceof RepositoryLockedException locked) {
      throw locked; // no gate has returned a verdict
    }
    return switch (cause) {
      case DONE -> judged(gate, work);
      case TIMEOUT -> GateResult.without(gate, Kind.TIME_UP, context.lastLines());
      case CANCELLED -> GateResult.without(gate, Kind.CANCELLED, context.lastLines());
    };
  }

  private void end(CutOffWork<Verdict> work, Gate gate) {
    work.interrupt();
    if (!work.awaitEnd(settings.grace().plus(MARGIN))) {
      LOG.log(
          Level.WARNING,
          "the gate "
              + gate.name()
              + " was interrupted but still runs; its thread is left running");
    }
  }

  private static GateResult judged(Gate gate, CutOffWork<Verdict> work) {
    Verdict verdict = work.value();
    if (verdict != null) {
      return GateResult.of(gate, verdict);
    }
    Throwable failure = work.failure();
    if (failure == null) {
      return GateResult.without(gate, Kind.SILENT, "The gate's code returned null.");
    }
    LOG.log(Level.DEBUG, "the gate " + gate.name() + " failed", failure);
    return GateResult.without(gate, Kind.BROKEN, LogText.of(failure));
  }
}
