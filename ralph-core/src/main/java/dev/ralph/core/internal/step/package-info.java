/** Steps that run once per session, and their results. */
@NullMarked
package dev.ralph.core.internal.step;

import org.jspecify.annotations.NullMarked;
