/**
 * Adapters for agent clients. Each adapter implements {@link dev.ralph.Agent} for one client
 * through the client's own command and APIs. No adapter edits the user's configuration of a client.
 */
@NullMarked
package dev.ralph.agents;

import org.jspecify.annotations.NullMarked;
