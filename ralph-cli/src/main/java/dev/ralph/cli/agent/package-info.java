/**
 * The commands for orchestrators and their agents on an OpenSpec change. Begin with {@link
 * dev.ralph.cli.agent.AgentCall}, which resolves project, session and story, then read {@link
 * dev.ralph.cli.agent.AgentForm} for the answers.
 */
@NullMarked
package dev.ralph.cli.agent;

import org.jspecify.annotations.NullMarked;
