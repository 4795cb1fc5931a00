/** What a storage backend implements, on top of the log. A host program needs none of it. */
@NullMarked
package dev.ralph.spi;

import org.jspecify.annotations.NullMarked;
