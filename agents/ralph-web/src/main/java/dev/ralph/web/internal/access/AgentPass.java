package dev.ralph.web.internal.access;

import org.jspecify.annotations.Nullable;

/**
 * The rights of an agent's token.
 *
 * @param name the agent's name
 * @param session the only session of the agent, or null if each call names a session
 */
public record AgentPass(String name, @Nullable String session) {}
