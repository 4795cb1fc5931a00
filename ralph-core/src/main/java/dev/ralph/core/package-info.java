/**
 * Agents that run a command, for {@link dev.ralph.Session#loop}, and the Git work trees and
 * branches for their work. Begin with {@link dev.ralph.core.CommandAgent}; {@link
 * dev.ralph.core.Worktree} gives one agent a work tree, {@link dev.ralph.core.BranchMerger} merges
 * work behind a check, and {@link dev.ralph.core.ListLog} keeps lists of texts such as
 * conversations.
 */
@NullMarked
package dev.ralph.core;

import org.jspecify.annotations.NullMarked;
