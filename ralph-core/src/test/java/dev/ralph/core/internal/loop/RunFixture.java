package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.loop.agent.Completion;
import dev.ralph.core.internal.loop.agent.FileChanges;
import dev.ralph.core.internal.loop.agent.WorkDetector;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.loop.run.Cancellation;
import dev.ralph.core.internal.loop.run.HandClock;
import dev.ralph.core.internal.loop.run.LoopClock;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.RunLimits;
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
@SuppressWarnings("this-escape") // the subclasses are tests without constructors
public abstract class RunFixture {

  public final List<LoopEvent> events = new CopyOnWriteArrayList<>();
  public final Ralph ralph = Ralph.inMemory();
  public final LiveSession session = (LiveSession) ralph.session("s");
  public final HandClock clock = new HandClock();
  public final LoopClock time = LoopClock.of(clock);
  public final Cancellation cancellation = new Cancellation();
  private final LoopSettings defaults = settings(0, 1, List.of(), own -> false);
  public final RunLimits limits = new RunLimits(defaults, time);
  public final LoopSession run = new LoopSession(session, defaults, limits, cancellation);
  public final SharedReading reading = run.reading();

  @TempDir public Path folder;

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

  public Completion completion(Gate... gates) {
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

  public LoopEvents events() {
    return new LoopReporter(run, defaults).events();
  }

  public WorkDetector changes(boolean isWatching) {
    return new WorkDetector(
        run, new FileChanges(run.workFolder(folder)), session::isWork, isWatching);
  }
}
