/**
 * The output of a running build, and its branch. Begin with {@link
 * dev.ralph.cli.progress.BuildProgress}, which prints a build; {@link
 * dev.ralph.cli.progress.BuildLines} renders events as lines, {@link
 * dev.ralph.cli.progress.EventForm} as JSON, {@link dev.ralph.cli.progress.Hooks} passes them to
 * commands, {@link dev.ralph.cli.progress.RunSummary} renders the end, and {@link
 * dev.ralph.cli.progress.BuildBranch} keeps and merges the work.
 */
@NullMarked
package dev.ralph.cli.progress;

import org.jspecify.annotations.NullMarked;
