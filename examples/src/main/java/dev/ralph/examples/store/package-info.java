/** A storage backend to copy: one plain file, one process at a time. */
@ParametersAreNonnullByDefault
package dev.ralph.examples.store;

import javax.annotation.ParametersAreNonnullByDefault;
