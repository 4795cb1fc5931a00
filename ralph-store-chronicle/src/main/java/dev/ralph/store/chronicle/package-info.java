/**
 * The store on Chronicle Queue: appends go through its memory-mapped roll files, each batch as one
 * excerpt with a checksum of its own.
 */
@NullMarked
package dev.ralph.store.chronicle;

import org.jspecify.annotations.NullMarked;
