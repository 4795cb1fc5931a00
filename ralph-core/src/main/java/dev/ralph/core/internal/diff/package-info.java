/** Compares two moments of a session, for the command and the page. */
@NullMarked
package dev.ralph.core.internal.diff;

import org.jspecify.annotations.NullMarked;
