/** What a storage backend implements. A host program needs none of it. */
@NullMarked
package dev.ralph.spi;

import org.jspecify.annotations.NullMarked;
