/**
 * The rules of a loop as pure functions: the end of a run, waits, roles, assignments and merges.
 * Begin with {@link dev.ralph.core.internal.loop.policy.LoopPolicy}, whose comment lists the rules
 * in their order.
 *
 * <p>Then read {@link dev.ralph.core.internal.loop.policy.NextAction} for the results, {@link
 * dev.ralph.core.internal.loop.policy.PolicyView} and {@link
 * dev.ralph.core.internal.loop.policy.LoopFacts} for the arguments, {@link
 * dev.ralph.core.internal.loop.policy.TeamFacts} for several agents, and {@link
 * dev.ralph.core.internal.loop.policy.LoopEnding} for the end. {@link
 * dev.ralph.core.internal.loop.policy.Backoff} and {@link
 * dev.ralph.core.internal.loop.policy.IdleCount} are states that an {@link
 * dev.ralph.core.internal.loop.policy.AgentOutcome} changes; the caller keeps them.
 *
 * <p>Nothing here reads a clock or a file, waits, or appends. Only two methods of {@link
 * dev.ralph.core.internal.loop.policy.PolicyView} may read the store. {@code PolicyInterpreter}
 * performs the actions.
 */
@NullMarked
package dev.ralph.core.internal.loop.policy;

import org.jspecify.annotations.NullMarked;
