/** A store that lives and ends with the program: for tests, for trying things out. */
@ParametersAreNonnullByDefault
package dev.ralph.store.memory;

import javax.annotation.ParametersAreNonnullByDefault;
