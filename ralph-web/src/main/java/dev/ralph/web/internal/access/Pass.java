package dev.ralph.web.internal.access;

import org.jspecify.annotations.Nullable;

/**
 * What a token lets its holder do.
 *
 * @param name the holder's
 * @param readOnly whether they may only look
 * @param session the only one that an agent works on, or null for a person
 */
public record Pass(String name, boolean readOnly, @Nullable String session) {}
