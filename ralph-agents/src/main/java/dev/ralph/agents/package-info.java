/**
 * Adapters for real agent clients. Each implements {@link dev.ralph.Agent} for one client, through
 * that client's own command and interfaces; none edits the user's configuration of it.
 */
@NullMarked
package dev.ralph.agents;

import org.jspecify.annotations.NullMarked;
