/**
 * The store on Chronicle Queue: appends go through its memory-mapped roll files, each batch as one
 * excerpt with a checksum of its own.
 */
@ParametersAreNonnullByDefault
package dev.ralph.store.chronicle;

import javax.annotation.ParametersAreNonnullByDefault;
