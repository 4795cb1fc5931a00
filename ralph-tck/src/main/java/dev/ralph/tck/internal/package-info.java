/** What the suites and the model checker share. */
@NullMarked
package dev.ralph.tck.internal;

import org.jspecify.annotations.NullMarked;
