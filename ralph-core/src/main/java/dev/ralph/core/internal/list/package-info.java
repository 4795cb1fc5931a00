/** Differences between lists of texts. */
@NullMarked
package dev.ralph.core.internal.list;

import org.jspecify.annotations.NullMarked;
