/** Parts that several modules share. Not for embedders. */
@NullMarked
package dev.ralph.internal;

import org.jspecify.annotations.NullMarked;
