/**
 * The commands that show and change tasks. Begin with {@link dev.ralph.cli.task.TasksCommand} and
 * {@link dev.ralph.cli.task.TaskForm}, which renders tasks; {@link dev.ralph.cli.task.ListedTasks}
 * reads tasks from check lists.
 */
@NullMarked
package dev.ralph.cli.task;

import org.jspecify.annotations.NullMarked;
