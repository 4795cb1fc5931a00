/**
 * The loop over the stories of an OpenSpec change, shared with the command. Begin with {@link
 * dev.ralph.openspec.internal.Change}, which reads a change, and {@link
 * dev.ralph.openspec.internal.ChangeLoop}, which runs an agent on its stories; {@link
 * dev.ralph.openspec.internal.ChangeSession} records the exclusive work on a change. {@link
 * dev.ralph.openspec.internal.TaskFile} parses {@code tasks.md}, {@link
 * dev.ralph.openspec.internal.TaskPlan} aligns the tasks with an older state, and {@link
 * dev.ralph.openspec.internal.TaskTick} ticks a task. {@link
 * dev.ralph.openspec.internal.Verification} lists the check commands of a project.
 */
@NullMarked
package dev.ralph.openspec.internal;

import org.jspecify.annotations.NullMarked;
