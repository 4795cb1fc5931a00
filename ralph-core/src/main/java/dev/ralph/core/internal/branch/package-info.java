/** The branch of a session beside the branches of its user: merge, discard, exclusive use. */
@NullMarked
package dev.ralph.core.internal.branch;

import org.jspecify.annotations.NullMarked;
