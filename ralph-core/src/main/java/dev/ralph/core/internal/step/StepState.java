package dev.ralph.core.internal.step;

import dev.ralph.domain.ProcessIdentity;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far a step has come.
 *
 * @param token of the attempt that was begun last
 * @param by the process of that attempt, or null where the frame names none
 * @param begun when the first attempt was begun that did not end
 * @param result the frame that holds the result, or null where it is not done
 */
public record StepState(
    @Nullable String token, @Nullable ProcessIdentity by, Instant begun, @Nullable String result) {}
