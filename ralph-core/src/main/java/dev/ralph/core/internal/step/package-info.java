/**
 * Steps that run once per session, and their results. Begin with {@link
 * dev.ralph.core.internal.step.StepFold}, which lists the frames, then read {@link
 * dev.ralph.core.internal.step.LedgerSteps}.
 */
@NullMarked
package dev.ralph.core.internal.step;

import org.jspecify.annotations.NullMarked;
