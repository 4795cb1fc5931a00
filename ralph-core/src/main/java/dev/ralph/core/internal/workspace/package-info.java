/**
 * The folders in which the agents of a loop work concurrently, and the merge of their work:
 * branches of a Git repository, or one shared folder.
 */
@NullMarked
package dev.ralph.core.internal.workspace;

import org.jspecify.annotations.NullMarked;
