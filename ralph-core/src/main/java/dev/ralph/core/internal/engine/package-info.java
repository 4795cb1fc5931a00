/** The engine, for programs that create it without a service lookup. */
@NullMarked
package dev.ralph.core.internal.engine;

import org.jspecify.annotations.NullMarked;
