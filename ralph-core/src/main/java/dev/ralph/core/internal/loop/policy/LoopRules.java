package dev.ralph.core.internal.loop.policy;

/**
 * The settings of a loop that decisions depend on.
 *
 * @param maxIterations 0 for no limit
 * @param maxFailures the number of consecutive failures that ends the loop, at least 1
 * @param waitsForAnswers whether the loop waits while a question is open
 * @param hasPlanner whether a planner adds the tasks
 * @param hasGoal whether a spec or a prompt specifies the work
 * @param reviewEvery the number of iterations between reviews; 0 without a reviewer
 */
public record LoopRules(
    int maxIterations,
    int maxFailures,
    boolean waitsForAnswers,
    boolean hasPlanner,
    boolean hasGoal,
    int reviewEvery) {}
