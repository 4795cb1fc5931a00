/**
 * Keeps the log in memory-mapped roll files of Chronicle Queue. Each batch is one excerpt with a
 * checksum of its own.
 */
@NullMarked
package dev.ralph.store.chronicle;

import org.jspecify.annotations.NullMarked;
