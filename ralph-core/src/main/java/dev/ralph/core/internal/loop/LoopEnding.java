package dev.ralph.core.internal.loop;

import dev.ralph.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a loop ends, before it is recorded.
 *
 * @param detail details for people, or null
 */
record LoopEnding(StopReason reason, @Nullable String detail) {}
