/**
 * Git operations that work trees, branches and the merge queue share, and the names of Ralph's
 * branches, references and folders. Begin with {@link dev.ralph.core.internal.git.SessionNames} and
 * {@link dev.ralph.core.internal.git.GitTrees}; {@link dev.ralph.core.internal.git.TreeChanges}
 * decides whether a work tree has work, {@link dev.ralph.core.internal.git.RepositoryWatch} and
 * {@link dev.ralph.core.internal.git.ReferenceWatch} find other changes of agents. All processes of
 * Git start in {@link dev.ralph.core.internal.process.Git}.
 */
@NullMarked
package dev.ralph.core.internal.git;

import org.jspecify.annotations.NullMarked;
