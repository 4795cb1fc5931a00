/** Who used what in a session, for all who show it. */
@NullMarked
package dev.ralph.core.internal.cost;

import org.jspecify.annotations.NullMarked;
