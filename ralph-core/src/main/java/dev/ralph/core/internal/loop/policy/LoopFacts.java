package dev.ralph.core.internal.loop.policy;

import org.jspecify.annotations.Nullable;

/**
 * The facts of a run that are not in the log.
 *
 * @param ending the decided end, or the end by a cancellation; null while the run continues
 * @param timeLimit the end of the run's time
 * @param budgetReached a message if the budget is used up; null otherwise
 * @param lastFailure the failure of the last iteration; null if it did not fail
 * @param iterations the number of iterations that this run has begun
 * @param isAsked whether the host was asked after the last of them whether the work is done
 * @param isClaimed whether the host's answer claimed completion, until the claim is decided
 * @param idle the iterations without changes
 * @param agents the lone agent or the team
 */
public record LoopFacts(
    @Nullable LoopEnding ending,
    LoopDeadline timeLimit,
    @Nullable String budgetReached,
    @Nullable String lastFailure,
    int iterations,
    boolean isAsked,
    boolean isClaimed,
    IdleCount idle,
    AgentFacts agents) {

  /** The agents of a run. */
  public sealed interface AgentFacts permits LoneAgent, TeamFacts {}

  /** A lone agent. */
  public record LoneAgent(Backoff backoff) implements AgentFacts {}
}
