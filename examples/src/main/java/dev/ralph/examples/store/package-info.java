/** A storage backend to copy: one plain file, one process at a time. */
@NullMarked
package dev.ralph.examples.store;

import org.jspecify.annotations.NullMarked;
