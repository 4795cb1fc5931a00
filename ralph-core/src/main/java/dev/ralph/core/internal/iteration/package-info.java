/** The iterations of a session, and what the agent said in them. */
@NullMarked
package dev.ralph.core.internal.iteration;

import org.jspecify.annotations.NullMarked;
