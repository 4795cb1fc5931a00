package dev.ralph.openspec.internal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An insight from the work on a change.
 *
 * @param text the insight
 * @param story the present story at that time, or null
 * @param task the task that the learning concerns, or null
 * @param learned the time of the note
 */
public record Learning(
    String text, @Nullable String story, @Nullable String task, Instant learned) {}
