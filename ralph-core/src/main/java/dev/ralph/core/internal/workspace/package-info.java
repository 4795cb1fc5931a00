/**
 * The folders in which the agents of a loop work concurrently, and the merge of their work:
 * branches of a Git repository, or one shared folder. Begin with {@link
 * dev.ralph.core.internal.workspace.Workspaces}, the interface for the loop, then read {@link
 * dev.ralph.core.internal.workspace.GitWorkspaces}, {@link
 * dev.ralph.core.internal.workspace.AgentTree} for the folder of one agent, and {@link
 * dev.ralph.core.internal.workspace.SessionBranch} for the target of merges.
 */
@NullMarked
package dev.ralph.core.internal.workspace;

import org.jspecify.annotations.NullMarked;
