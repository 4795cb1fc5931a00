package dev.ralph.core.internal.loop;

import dev.ralph.Iteration;
import dev.ralph.core.internal.git.RepositoryWatch;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.log.RalphException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An iteration of a run, from the start to the end and the consequences. */
final class IterationStep {

  private final LoopSession session;
  private final LoopSettings settings;
  private final AgentTurns turns;
  private final LoopReporter reporter;
  private boolean isWatching;

  /** Null if the folder is not in a work tree of Ralph. */
  private @Nullable RepositoryWatch watch;

  IterationStep(LoopSession session, LoopSettings settings, AgentTurns turns) {
    this.session = session;
    this.settings = settings;
    this.turns = turns;
    this.reporter = turns.reporter();
  }

  /** Runs the next iteration in a role. */
  void run(Iteration.Role next) {
    PolicyInterpreter interpreter = turns.interpreter();
    WorkDetector changes = interpreter.facts().changes();
    session.claim().renewIfDue();
    changes.begin();
    LoopRole role = turns.roles().of(next);
    Budget.Share share = turns.begin(role, null);
    int number = share.iteration();
    long began = session.time().nanos();
    AgentOutcome outcome;
    watch();
    try {
      outcome =
          turns
              .prepare(role, share, turns.place(settings.directory(), Map.of()), null)
              .take(turns.runner(), () -> session.glance(reporter.conversation()));
    } catch (RuntimeException | Error e) {
      reporter.recorder().ended(number, AgentOutcome.broken(e), session.time().since(began));
      if (turns.runner().hasLeftBehind()) {
        interpreter.endBesideAgent(number);
      }
      throw e;
    }
    compare(number);
    LoopEnding why =
        turns.ended(share, role, outcome, session.time().since(began), changes::hasChanged);
    // Before anything can fail, because a second agent must never run beside an abandoned one.
    interpreter.facts().decision().decideByAgent(why);
    if (outcome.isAbandoned()) {
      interpreter.endBesideAgent(session.limits().last());
    }
    reporter.conversation().tell();
    reporter.writeEnd();
  }

  /** Starts to watch the repository if the loop works in a work tree of Ralph. */
  private void watch() {
    if (!isWatching) {
      isWatching = true;
      try {
        watch = RepositoryWatch.ofTree(settings.directory());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RalphException e) {
        notice(0, e);
      }
    }
  }

  private void compare(int number) {
    try {
      if (watch != null) {
        watch.compare().forEach(text -> reporter.notice(number, text));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RalphException e) {
      notice(number, e);
    }
  }

  private void notice(int number, RalphException failure) {
    reporter.notice(number, "can't check the repository for changes: " + failure.getMessage());
  }

  /** Ends the watch of the repository. */
  void close() {
    RepositoryWatch open = watch;
    watch = null;
    if (open != null) {
      open.close();
    }
  }
}
