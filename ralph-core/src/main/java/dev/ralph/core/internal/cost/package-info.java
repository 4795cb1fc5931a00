/** The usage of a session by agent, model and task. */
@NullMarked
package dev.ralph.core.internal.cost;

import org.jspecify.annotations.NullMarked;
