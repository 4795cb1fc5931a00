package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.git.RepositoryWatch;
import dev.ralph.core.internal.loop.agent.AgentTurns;
import dev.ralph.core.internal.loop.agent.AgentTurns.Begun;
import dev.ralph.core.internal.loop.agent.PolicyInterpreter;
import dev.ralph.core.internal.loop.agent.WorkDetector;
import dev.ralph.core.internal.loop.policy.AgentOutcome;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs iterations in sequence, each to its end in the thread that steps. */
final class OneAgent implements RunStrategy {

  private final LoopSession session;
  private final LoopSettings settings;
  private final AgentTurns turns;
  private final LoopReporter reporter;
  private final PolicyInterpreter interpreter;
  private final LoopWaits waits;
  private boolean isOpen;
  private boolean isWatching;

  /** Null if the folder is not in a work tree of Ralph. */
  private @Nullable RepositoryWatch watch;

  OneAgent(LoopSession session, LoopSettings settings, AgentTurns turns, LoopWaits waits) {
    this.session = session;
    this.settings = settings;
    this.turns = turns;
    this.reporter = turns.reporter();
    this.interpreter = turns.interpreter();
    this.waits = waits;
  }

  @Override
  public void open() {
    reporter.writeEnd();
    if (!isOpen) {
      returnUnmergedTasks();
      requireStart();
      isOpen = true;
    }
  }

  /**
   * Reopens tasks with unmerged work of several agents, because no merge queue runs here. This
   * agent can merge the work.
   */
  private void returnUnmergedTasks() {
    for (Task task : session.seen().tasks().list().toMerge()) {
      Claim claim = task.claim();
      if (claim != null) {
        String merge = task.branch() + "; run: git merge " + task.branch();
        String why = "the completed work is on the unmerged branch " + merge;
        session.present().tasks().reopen(task.id(), claim.token(), why);
      }
    }
  }

  /** Ends the loop if a gate cannot start, or the agent cannot start in a work tree of Ralph. */
  private void requireStart() {
    Path folder = settings.directory();
    // In other folders, the agents were checked when the loop was configured.
    List<LoopRole> agents = StartCheck.isWorkTree(folder) ? turns.roles().all() : List.of();
    String problem = new StartCheck(agents, settings.gates()).problem(folder);
    if (problem != null) {
      interpreter.facts().decide(new LoopEnding(StopReason.CANNOT_START, problem));
    }
  }

  @Override
  public void advance() {
    Iteration.Role role = awaitTurn();
    if (role != null) {
      run(turns.roles().of(role));
      interpreter.settle(this::facts); // ends the loop right after its last iteration
    }
  }

  /** Waits until an iteration may begin; returns its role, or null if the run ends. */
  private Iteration.@Nullable Role awaitTurn() {
    try {
      while (!session.cancellation().isRequested()) {
        session.readNewFrames();
        session.checkClaim();
        reporter.conversation().report();
        turns.cutShortIfStirred();
        NextAction action = interpreter.next(this::facts);
        if (action instanceof NextAction.Run run) {
          return run.role();
        }
        if (!(action instanceof NextAction.Wait wait)) {
          return null; // the end is decided
        }
        waits.await(wait, turns);
      }
      return null;
    } finally {
      waits.end();
    }
  }

  private LoopFacts.AgentFacts facts() {
    return new LoopFacts.LoneAgent(turns.backoff());
  }

  private void run(LoopRole role) {
    WorkDetector changes = interpreter.facts().changes();
    changes.begin();
    Begun begun = turns.begin(role, null);
    AgentOutcome outcome;
    watch();
    try {
      outcome =
          turns
              .prepare(begun, turns.place(settings.directory(), Map.of()), null)
              .take(turns.runner(), () -> session.glance(reporter.conversation()));
    } catch (RuntimeException | Error e) {
      reporter
          .recorder()
          .ended(begun.iteration(), AgentOutcome.broken(e), session.time().since(begun.nanos()));
      if (turns.runner().hasLeftBehind()) {
        interpreter.endBesideAgent(begun.iteration());
      }
      throw e;
    }
    compare(begun.iteration());
    LoopEnding why =
        turns.ended(begun, outcome, session.time().since(begun.nanos()), changes::hasChanged);
    // Before anything can fail, because a second agent must never run beside an abandoned one.
    interpreter.facts().decideByAgent(why);
    if (outcome.isAbandoned()) {
      interpreter.endBesideAgent(begun.iteration());
    }
    reporter.conversation().report();
    reporter.writeEnd();
  }

  // ---- changes of the repository by the agent

  /** An access to the repository. */
  private interface Access {
    void run() throws InterruptedException;
  }

  /** Starts to watch the repository if the loop works in a work tree of Ralph. */
  private void watch() {
    if (!isWatching) {
      isWatching = true;
      check(0, () -> watch = RepositoryWatch.ofTree(settings.directory()));
    }
  }

  private void compare(int iteration) {
    RepositoryWatch open = watch;
    if (open != null) {
      check(iteration, () -> open.compare().forEach(text -> reporter.notice(iteration, text)));
    }
  }

  private void check(int iteration, Access access) {
    try {
      access.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RalphException e) {
      String why = "can't check the repository for changes: " + e.getMessage();
      reporter.notice(iteration, why);
    }
  }

  // ---- the end of the run

  @Override
  public @Nullable TeamContext next() {
    return null;
  }

  @Override
  public void cutOff() {}

  @Override
  public void write() {
    reporter.writeEnd();
  }

  @Override
  public void close() {
    RepositoryWatch open = watch;
    watch = null;
    if (open != null) {
      open.close();
    }
  }
}
