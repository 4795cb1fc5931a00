/**
 * The commands that run an agent. Begin with {@link dev.ralph.cli.loop.BuildCommand}; {@link
 * dev.ralph.cli.loop.AgentChoice} and {@link dev.ralph.cli.loop.LoopAgents} select the agents,
 * {@link dev.ralph.cli.loop.LoopLimits} reads the limits, {@link dev.ralph.cli.loop.ProjectTrust}
 * protects against foreign project files, and {@link dev.ralph.cli.progress.BuildProgress} shows
 * the run.
 */
@NullMarked
package dev.ralph.cli.loop;

import org.jspecify.annotations.NullMarked;
