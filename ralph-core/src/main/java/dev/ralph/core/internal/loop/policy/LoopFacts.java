package dev.ralph.core.internal.loop.policy;

import org.jspecify.annotations.Nullable;

/**
 * The facts of a run that are not in the log.
 *
 * @param ending the decided end, or the end by a cancellation; null while the run continues
 * @param timeLimit the end of the run's time
 * @param budgetReached a message if the budget is used up; null otherwise
 * @param lastFailure the failure of the last iteration; null if it did not fail
 * @param host the questions to the host
 * @param idle the iterations without changes
 * @param agents the lone agent or the team
 */
public record LoopFacts(
    @Nullable LoopEnding ending,
    LoopDeadline timeLimit,
    @Nullable String budgetReached,
    @Nullable String lastFailure,
    HostFacts host,
    IdleCount idle,
    AgentFacts agents) {

  /**
   * The questions to the host whether the work is done.
   *
   * @param iterations the number of iterations that this run has begun
   * @param askedAfter the number of iterations at the last question; -1 before the first
   * @param isClaimed whether the host's answer claimed completion, until the claim is decided
   */
  public record HostFacts(int iterations, int askedAfter, boolean isClaimed) {}

  /** The agents of a run. */
  public sealed interface AgentFacts permits LoneAgent, TeamFacts {}

  /** A lone agent. */
  public record LoneAgent(Backoff backoff) implements AgentFacts {}

  /** Returns these facts after the host's answer. */
  public LoopFacts answered(boolean isClaimed) {
    return new LoopFacts(
        ending,
        timeLimit,
        budgetReached,
        lastFailure,
        new HostFacts(host.iterations(), host.iterations(), isClaimed),
        idle,
        agents);
  }
}
