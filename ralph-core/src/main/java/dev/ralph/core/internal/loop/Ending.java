package dev.ralph.core.internal.loop;

import dev.ralph.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * Why a loop ends, before that is written down.
 *
 * @param detail more about the reason, for people, or null
 */
record Ending(StopReason reason, @Nullable String detail) {}
