package dev.ralph.core.internal.step;

import dev.ralph.domain.ProcessIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a step.
 *
 * @param token the token of the newest attempt
 * @param by the process of the newest attempt, or null if unknown
 * @param begun the beginning of the first unfinished attempt
 * @param result the id of the frame with the result, or null before completion
 */
public record StepState(
    @Nullable String token, @Nullable ProcessIdentity by, Instant begun, @Nullable String result) {}
