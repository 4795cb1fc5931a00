/**
 * Runs an agent on a session again and again, in steps. Begin with {@link
 * dev.ralph.core.internal.loop.LoopRun}, which performs a step. A single thread steps, decides and
 * writes; agents, gates and merges have other threads, each with a {@link
 * dev.ralph.core.internal.loop.run.CutOffWork}.
 *
 * <p>Then read, for a run with one agent: {@link dev.ralph.core.internal.loop.LoopBuilder}, which
 * configures the run; {@link dev.ralph.core.internal.loop.RunOpening}, which claims the session;
 * {@link dev.ralph.core.internal.loop.OneAgent}, which orders the iterations; {@link
 * dev.ralph.core.internal.loop.agent.PolicyInterpreter}, which performs the decisions of the
 * {@linkplain dev.ralph.core.internal.loop.policy policy} on the {@link
 * dev.ralph.core.internal.loop.agent.RunFacts}; {@link dev.ralph.core.internal.loop.LoopWaits};
 * {@link dev.ralph.core.internal.loop.agent.AgentTurns} and {@link
 * dev.ralph.core.internal.loop.agent.AgentRunner} for an iteration; {@link
 * dev.ralph.core.internal.loop.agent.Completion} and {@link dev.ralph.core.internal.loop.Gates} for
 * its judgement.
 *
 * <p>For several agents: {@link dev.ralph.core.internal.loop.SeveralAgents}, {@link
 * dev.ralph.core.internal.loop.LoopWorker} with its {@link dev.ralph.core.internal.loop.WorkPhase},
 * and {@link dev.ralph.core.internal.loop.MergeQueue}. All classes share the {@link
 * dev.ralph.core.internal.loop.run.LoopSession}, its {@link
 * dev.ralph.core.internal.loop.run.RunLimits}, and the {@link
 * dev.ralph.core.internal.loop.run.LoopReporter}.
 */
@NullMarked
package dev.ralph.core.internal.loop;

import org.jspecify.annotations.NullMarked;
