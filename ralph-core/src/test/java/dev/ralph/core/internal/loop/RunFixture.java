package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The inputs of the rules of a run: a session in memory, and a clock that tests advance. */
abstract class RunFixture {

  final List<LoopEvent> events = new CopyOnWriteArrayList<>();
  final Ralph ralph = Ralph.inMemory();
  final LiveSession session = (LiveSession) ralph.session("s");
  final HandClock clock = new HandClock();
  final LoopClock time = LoopClock.of(clock);
  final Cancellation cancellation = new Cancellation();
  private final LoopSettings defaults = settings(0, 1, List.of(), own -> false);
  final RunLimits limits = new RunLimits(defaults, time);
  final LoopSession run = new LoopSession(session, defaults, limits, cancellation);
  final SharedReading reading = run.reading();

  @TempDir Path folder;

  @AfterEach
  final void close() {
    ralph.close();
  }

  LoopSettings settings(
      int maxIterations, int maxFailures, List<Gate> gates, Predicate<Session> done) {
    return new LoopSettings(
        folder,
        maxIterations,
        null,
        new Limits(null, 100L),
        1,
        true,
        0,
        5,
        Duration.ZERO,
        maxFailures,
        Duration.ZERO,
        false,
        false,
        gates,
        List.of(),
        done,
        List.of(events::add),
        iteration -> {},
        null,
        null,
        null);
  }

  Completion completion(Gate... gates) {
    Redactor redactor = text -> text.replace("secret", "***");
    LoopSettings settings = settings(0, 1, List.of(gates), s -> false);
    LoopReporter reporter = new LoopReporter(run, settings);
    return new Completion(
        session,
        own -> false,
        new Gates(run, settings, reporter, redactor)::runAll,
        cancellation,
        reporter.events());
  }

  Listeners listeners() {
    return new LoopReporter(run, defaults).events();
  }

  WorkDetector changes(boolean isWatching) {
    return new WorkDetector(
        run, new FileChanges(run.workFolder(folder)), session::isWork, isWatching);
  }
}
