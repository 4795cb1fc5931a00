/** The tasks of a session: what their frames mean, what may be decided, and the view of them. */
@NullMarked
package dev.ralph.core.internal.task;

import org.jspecify.annotations.NullMarked;
