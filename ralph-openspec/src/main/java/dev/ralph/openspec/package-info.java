/**
 * The loop over the stories of an OpenSpec change. {@link dev.ralph.openspec.Change} reads a
 * change.
 */
@NullMarked
package dev.ralph.openspec;

import org.jspecify.annotations.NullMarked;
