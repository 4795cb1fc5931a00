package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.prompt.TeamContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs iterations in sequence, each to its end in the thread that steps. */
final class OneAgent implements RunStrategy {

  private final Parts parts;
  private final NextTurn nextTurn;
  private final IterationStep iteration;
  private boolean isOpen;

  OneAgent(Parts parts, NextTurn nextTurn) {
    this.parts = parts;
    this.nextTurn = nextTurn;
    this.iteration = new IterationStep(parts);
  }

  @Override
  public void open() {
    parts.writeEnd();
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
    for (Task task : parts.seen.tasks().list().toLand()) {
      Claim claim = task.claim();
      if (claim != null) {
        parts
            .session
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
    Path folder = parts.settings.directory();
    Roles roles = parts.roles;
    List<LoopRole> agents =
        StartCheck.isWorkTree(folder)
            ? Stream.of(roles.build(), roles.plan(), roles.review())
                .filter(Objects::nonNull)
                .toList()
            : List.of(); // checked when the loop was configured
    String problem = new StartCheck(agents, parts.settings.gates()).problem(folder);
    if (problem != null) {
      parts.endings.decide(new LoopEnding(StopReason.CANNOT_START, problem));
    }
  }

  @Override
  public void advance() {
    nextTurn.await(parts.backoff);
    if (!parts.endings.isDecided()) {
      iteration.run();
      // If no other iteration can follow, end the loop right after this iteration.
      nextTurn.settle();
    }
  }

  @Override
  public @Nullable TeamContext next() {
    return null;
  }

  @Override
  public boolean isCurrentThread() {
    return parts.agents.isCurrentThread();
  }

  @Override
  public void cutOff() {}

  @Override
  public void write() {
    parts.writeEnd();
  }

  @Override
  public boolean hasLeftBehind() {
    return parts.agents.hasLeftBehind();
  }

  @Override
  public void whenEnded(Runnable next) {
    parts.agents.whenEnded(next);
  }

  @Override
  public void close() {
    iteration.close();
  }
}
