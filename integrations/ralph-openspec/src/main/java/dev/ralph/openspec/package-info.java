/**
 * The loop over the stories of an OpenSpec change. Begin with {@link dev.ralph.openspec.Change},
 * which reads a change, and {@link dev.ralph.openspec.ChangeLoop}, which runs an agent on its
 * stories; {@link dev.ralph.openspec.ChangeSession} records the exclusive work on a change. Inside,
 * {@link dev.ralph.openspec.TaskFile} parses {@code tasks.md}, {@link dev.ralph.openspec.TaskPlan}
 * aligns it with an older state, and {@link dev.ralph.openspec.TaskTick} ticks a task.
 */
@NullMarked
package dev.ralph.openspec;

import org.jspecify.annotations.NullMarked;
