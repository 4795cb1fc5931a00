package dev.ralph.web.internal.access;

import org.jspecify.annotations.Nullable;

/**
 * What an agent's token lets it do.
 *
 * @param name the agent's
 * @param session the only one that it works on, or null if each call names its own
 */
public record AgentPass(String name, @Nullable String session) {}
