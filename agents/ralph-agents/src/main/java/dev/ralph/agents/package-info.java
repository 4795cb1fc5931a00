/**
 * Adapters for agent clients. Each adapter implements {@link dev.ralph.Agent} for one client
 * through the client's own command and APIs. No adapter edits the user's configuration of a client.
 * Begin with {@link dev.ralph.agents.ClaudeAgent}, the simplest adapter: {@link
 * dev.ralph.agents.ClientRun} runs the program, {@link dev.ralph.agents.ClaudeEvents} parses the
 * output, and {@link dev.ralph.agents.RunRecord} collects the results.
 */
@NullMarked
package dev.ralph.agents;

import org.jspecify.annotations.NullMarked;
