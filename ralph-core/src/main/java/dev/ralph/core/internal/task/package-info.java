/** The tasks of a session: the fold of their frames, the decision rules, and the views. */
@NullMarked
package dev.ralph.core.internal.task;

import org.jspecify.annotations.NullMarked;
