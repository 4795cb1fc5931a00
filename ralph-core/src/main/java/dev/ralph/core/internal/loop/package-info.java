/**
 * Runs an agent on a session again and again, in steps. Begin with {@link
 * dev.ralph.core.internal.loop.LoopRun}, which performs a step; {@link
 * dev.ralph.core.internal.loop.LoopBuilder} configures a loop. {@link
 * dev.ralph.core.internal.loop.OneAgent} and {@link dev.ralph.core.internal.loop.SeveralAgents}
 * order the iterations, {@link dev.ralph.core.internal.loop.MergeQueue} merges work, {@link
 * dev.ralph.core.internal.loop.LoopWaits} waits between iterations, and {@link
 * dev.ralph.core.internal.loop.PolicyInterpreter} performs the decisions of the {@linkplain
 * dev.ralph.core.internal.loop.policy policy}. They share the {@link
 * dev.ralph.core.internal.loop.LoopSession}, its {@link dev.ralph.core.internal.loop.RunLimits},
 * and the {@link dev.ralph.core.internal.loop.LoopReporter}.
 */
@NullMarked
package dev.ralph.core.internal.loop;

import org.jspecify.annotations.NullMarked;
