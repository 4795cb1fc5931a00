/**
 * The iterations of a session, their output and their records. Begin with {@link
 * dev.ralph.core.internal.iteration.IterationFold}, which lists the frames, then read {@link
 * dev.ralph.core.internal.iteration.IterationDecider} for the rules.
 */
@NullMarked
package dev.ralph.core.internal.iteration;

import org.jspecify.annotations.NullMarked;
