/** The messages of a session. */
@NullMarked
package dev.ralph.core.internal.inbox;

import org.jspecify.annotations.NullMarked;
