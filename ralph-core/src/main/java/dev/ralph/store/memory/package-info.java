/** A store that lives and ends with the program: for tests, for trying things out. */
@NullMarked
package dev.ralph.store.memory;

import org.jspecify.annotations.NullMarked;
