/** Runs an agent on a session again and again, in steps. */
@NullMarked
package dev.ralph.core.internal.loop;

import org.jspecify.annotations.NullMarked;
