/**
 * GitHub by its own command line, {@code gh}. {@link dev.ralph.cli.github.GitHubCli} runs the
 * program, {@link dev.ralph.cli.github.IssueTasks} turns issues into tasks, and {@link
 * dev.ralph.cli.github.PullRequest} publishes the branch of a session.
 */
@NullMarked
package dev.ralph.cli.github;

import org.jspecify.annotations.NullMarked;
