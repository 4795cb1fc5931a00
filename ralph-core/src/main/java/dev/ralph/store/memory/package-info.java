/** A store in the memory of the process, for tests and experiments. */
@NullMarked
package dev.ralph.store.memory;

import org.jspecify.annotations.NullMarked;
