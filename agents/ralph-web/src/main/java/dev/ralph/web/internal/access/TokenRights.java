package dev.ralph.web.internal.access;

import org.jspecify.annotations.Nullable;

/**
 * The rights of a token.
 *
 * @param name the holder's name
 * @param readOnly whether the holder may only read
 * @param session the only session of an agent, or null for a person
 */
public record TokenRights(String name, boolean readOnly, @Nullable String session) {}
