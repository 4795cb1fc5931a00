/** What steers the loop of a session, and which loop that is. */
@NullMarked
package dev.ralph.core.internal.control;

import org.jspecify.annotations.NullMarked;
