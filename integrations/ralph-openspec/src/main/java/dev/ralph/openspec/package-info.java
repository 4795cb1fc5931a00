/** Work on OpenSpec changes. Begin with {@link dev.ralph.openspec.OpenSpecChange}. */
@NullMarked
package dev.ralph.openspec;

import org.jspecify.annotations.NullMarked;
