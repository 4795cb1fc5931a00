/** Shared code of the suites and the model checker. */
@NullMarked
package dev.ralph.tck.internal;

import org.jspecify.annotations.NullMarked;
