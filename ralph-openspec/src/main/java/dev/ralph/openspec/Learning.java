package dev.ralph.openspec;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something found out while a change was worked on.
 *
 * @param text what
 * @param story the story that was worked on, or null
 * @param task the task that it is about, or null
 * @param learned when
 */
public record Learning(
    String text, @Nullable String story, @Nullable String task, Instant learned) {}
