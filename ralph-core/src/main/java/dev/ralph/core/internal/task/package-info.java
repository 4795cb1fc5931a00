/**
 * The tasks of a session. Begin with {@link dev.ralph.core.internal.task.TaskFold}, which lists the
 * frames, then read {@link dev.ralph.core.internal.task.TaskDecider} for the rules, {@link
 * dev.ralph.core.internal.task.Tasks} for queries, and {@link
 * dev.ralph.core.internal.task.LedgerTaskLog} for the task log of a session.
 */
@NullMarked
package dev.ralph.core.internal.task;

import org.jspecify.annotations.NullMarked;
