package dev.ralph.core.internal.loop;

import dev.ralph.Usage;
import dev.ralph.core.internal.loop.agent.Roles;
import dev.ralph.core.internal.loop.run.LoopEvents;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import java.util.List;

/**
 * The start of a run: claims the session, and cleans up after a killed run. May be retried after a
 * failure of the store.
 */
final class RunOpening {

  private final LoopSession session;
  private final LoopSettings settings;
  private final LoopReporter reporter;
  private final LoopEvents events;
  private final Roles roles;
  private boolean announced;
  private boolean done;

  RunOpening(LoopSession session, LoopSettings settings, LoopReporter reporter, Roles roles) {
    this.session = session;
    this.settings = settings;
    this.reporter = reporter;
    this.events = reporter.events();
    this.roles = roles;
  }

  /** Returns whether the listeners were notified of the run. */
  boolean isAnnounced() {
    return announced;
  }

  /** Begins the run, unless it has begun. */
  void begin() {
    if (done) {
      return;
    }
    session.readNewFrames();
    session.claim().take(session.nextIteration(), settings.maxIterations(), settings.agents());
    if (!announced) {
      announced = true;
      events.loopStarted();
      warn();
    }
    session.readNewFrames();
    reporter.conversation().report();
    if (session.claim().mayFollowKilledRun() || runsProcesses()) {
      endOrphans();
    }
    reporter.recorder().closeDangling();
    carryUsageOver();
    reportInterruptedIterations();
    session.limits().begin();
    done = true;
  }

  /** Reports the template's likely mistakes to the listeners. */
  void warn() {
    roles.warnings().forEach(warning -> events.notice(0, warning));
  }

  /**
   * Reports that the iterations of a killed loop do not count toward the limit of its successor.
   */
  private void reportInterruptedIterations() {
    int first = session.seen().control().firstOfRun();
    int begun = first == 0 ? 0 : session.nextIteration() - first;
    int limit = settings.maxIterations();
    if (begun > 0 && limit > 0) {
      events.notice(
          0,
          "the interrupted run had started "
              + begun
              + (begun == 1 ? " iteration" : " iterations")
              + "; this run may start up to "
              + limit
              + " more");
    }
  }

  /**
   * Returns whether the loop starts processes in any case: agents, or Git for several agents. For
   * such a loop, a search of all processes is cheap, and also finds processes of runs whose end was
   * recorded by another host or by an operator.
   */
  private boolean runsProcesses() {
    return settings.several() != null
        || roles.all().stream().anyMatch(role -> role.agent().needsTools());
  }

  private void endOrphans() {
    List<Long> pids = session.mark().endOrphans(settings.grace());
    if (!pids.isEmpty()) {
      events.orphansEnded(pids);
    }
  }

  /**
   * Adds the usage of a killed loop, and of the host's earlier iterations, to the budget of this
   * run.
   */
  private void carryUsageOver() {
    if (!session.limits().budget().isLimited()) {
      return;
    }
    int first = Math.max(1, session.seen().control().firstOfRun());
    boolean wasCutOff = !session.seen().iterations().usageFrom(first).equals(Usage.NONE);
    Usage before = session.seen().iterations().usageFrom(Math.min(first, settings.budgetFrom()));
    session.limits().budget().add(before);
    if (wasCutOff) {
      events.notice(0, "the interrupted run counts towards the budget; used: " + before);
    }
  }
}
