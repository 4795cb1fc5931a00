/** An example of a store: a single plain file, used by one process at a time. */
@NullMarked
package dev.ralph.examples.store;

import org.jspecify.annotations.NullMarked;
