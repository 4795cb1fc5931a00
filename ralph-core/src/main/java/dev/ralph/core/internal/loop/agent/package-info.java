/**
 * The iterations of an agent, and the decisions before and after them. Begin with {@link
 * dev.ralph.core.internal.loop.agent.AgentTurns}, which begins, prepares and ends an iteration;
 * {@link dev.ralph.core.internal.loop.agent.LoopTurn} is the agent's view of it, {@link
 * dev.ralph.core.internal.loop.agent.AgentRunner} runs the agent. {@link
 * dev.ralph.core.internal.loop.agent.WorkDetector} detects work, {@link
 * dev.ralph.core.internal.loop.agent.RunFacts} collects the facts, and {@link
 * dev.ralph.core.internal.loop.agent.PolicyInterpreter} performs the decisions.
 */
@NullMarked
package dev.ralph.core.internal.loop.agent;

import org.jspecify.annotations.NullMarked;
