package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.domain.ProcessIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The inputs of the rules of a run: a session in memory, and a clock that tests advance. */
abstract class RunFixture {

  final Ralph ralph = Ralph.inMemory();
  final LiveSession session = (LiveSession) ralph.session("s");
  final SharedReading reading = session.reading();
  final HandClock clock = new HandClock();
  final LoopClock time = LoopClock.of(clock);
  final RunLimits limits = new RunLimits(settings(0, 1, List.of(), own -> false), time);
  final Cancellation cancellation = new Cancellation();
  final List<LoopEvent> events = new CopyOnWriteArrayList<>();
  final Listeners listeners =
      new Listeners("s", List.of(events::add), clock, Duration.ofSeconds(10), cancellation);

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
        List.of(),
        iteration -> {},
        null,
        null,
        null);
  }

  Completion completion(Gate... gates) {
    Redactor redactor = text -> text.replace("secret", "***");
    LoopSettings settings = settings(0, 1, List.of(gates), s -> false);
    ProcessMark mark = ProcessMark.unique();
    ProcessIdentity process = ProcessIdentity.current();
    RunClaim claim = new RunClaim(session.control(), process, null, settings.grace(), cancellation);
    ActivityReporter doing = new ActivityReporter(session, claim, 0);
    return new Completion(
        session.control(),
        new Gates(session, settings, mark, redactor, cancellation, listeners, doing, time)::runAll,
        cancellation,
        listeners);
  }

  ProgressWatch progress(int maxIdle, int maxIterations) {
    WorkFolder work = new WorkFolder(folder, session.log().store().info());
    return new ProgressWatch(
        session.seen(reading),
        reading,
        new FileChanges(work),
        session::isWork,
        maxIdle,
        maxIterations);
  }
}
