/**
 * Git operations that work trees, branches and the merge queue share, and the names of Ralph's
 * branches, references and folders.
 */
@NullMarked
package dev.ralph.core.internal.git;

import org.jspecify.annotations.NullMarked;
