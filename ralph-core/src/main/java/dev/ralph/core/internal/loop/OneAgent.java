package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.LoopFacts;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.prompt.TeamContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs iterations in sequence, each to its end in the thread that steps. */
final class OneAgent implements RunStrategy {

  private final LoopSession session;
  private final LoopSettings settings;
  private final AgentTurns turns;
  private final LoopWaits waits;
  private final IterationStep iteration;
  private boolean isOpen;

  OneAgent(LoopSession session, LoopSettings settings, AgentTurns turns, LoopWaits waits) {
    this.session = session;
    this.settings = settings;
    this.turns = turns;
    this.waits = waits;
    this.iteration = new IterationStep(session, settings, turns);
  }

  @Override
  public void open() {
    turns.reporter().writeEnd();
    if (!isOpen) {
      takeBackWhatHasNotLanded();
      requireStart();
      isOpen = true;
    }
  }

  /**
   * Reopens tasks with unmerged work of several agents, because no merge queue runs here. This
   * agent can merge the work.
   */
  private void takeBackWhatHasNotLanded() {
    for (Task task : session.seen().tasks().list().toLand()) {
      Claim claim = task.claim();
      if (claim != null) {
        session
            .present()
            .tasks()
            .reopen(
                task.id(),
                claim.token(),
                "the completed work is on the unmerged branch "
                    + task.branch()
                    + "; run: git merge "
                    + task.branch());
      }
    }
  }

  /** Ends the loop if a gate cannot start, or the agent cannot start in a work tree of Ralph. */
  private void requireStart() {
    Path folder = settings.directory();
    Roles roles = turns.roles();
    List<LoopRole> agents =
        StartCheck.isWorkTree(folder)
            ? Stream.of(roles.build(), roles.plan(), roles.review())
                .filter(Objects::nonNull)
                .toList()
            : List.of(); // checked when the loop was configured
    String problem = new StartCheck(agents, settings.gates()).problem(folder);
    if (problem != null) {
      turns
          .interpreter()
          .facts()
          .decision()
          .decide(new LoopEnding(StopReason.CANNOT_START, problem));
    }
  }

  @Override
  public void advance() {
    Iteration.Role role = awaitTurn();
    if (role != null) {
      iteration.run(role);
      turns.interpreter().settle(this::facts); // ends the loop right after its last iteration
    }
  }

  /** Waits until an iteration may begin; returns its role, or null if the run ends. */
  private Iteration.@Nullable Role awaitTurn() {
    try {
      while (!session.cancellation().isRequested()) {
        session.look();
        session.checkClaim();
        turns.reporter().conversation().tell();
        turns.pauses().cutShortIfStirred(turns.interpreter().facts().changes());
        NextAction action = turns.interpreter().next(this::facts);
        if (action instanceof NextAction.Run run) {
          return run.role();
        }
        if (!(action instanceof NextAction.Wait wait)) {
          return null; // the end is decided
        }
        waits.await(wait, turns.pauses());
      }
      return null;
    } finally {
      waits.end();
    }
  }

  private LoopFacts.AgentFacts facts() {
    return new LoopFacts.LoneAgent(turns.pauses().backoff());
  }

  @Override
  public @Nullable TeamContext next() {
    return null;
  }

  @Override
  public boolean isCurrentThread() {
    return turns.runner().isCurrentThread();
  }

  @Override
  public void cutOff() {}

  @Override
  public void write() {
    turns.reporter().writeEnd();
  }

  @Override
  public boolean hasLeftBehind() {
    return turns.runner().hasLeftBehind();
  }

  @Override
  public void whenEnded(Runnable next) {
    turns.runner().whenEnded(next);
  }

  @Override
  public void close() {
    iteration.close();
  }
}
