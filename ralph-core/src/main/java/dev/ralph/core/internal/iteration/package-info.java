/** The iterations of a session, their output and their records. */
@NullMarked
package dev.ralph.core.internal.iteration;

import org.jspecify.annotations.NullMarked;
