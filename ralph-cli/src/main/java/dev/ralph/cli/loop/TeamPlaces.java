package dev.ralph.cli.loop;

import dev.ralph.Loop;
import dev.ralph.cli.call.AcpCommand;
import dev.ralph.cli.call.Arguments;
import dev.ralph.cli.call.CommandSyntax;
import dev.ralph.cli.call.UsageException;
import dev.ralph.core.CommitOptions;
import dev.ralph.log.RalphException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The folders of a team of agents, as configured by the call. */
final class TeamPlaces {

  private static final String SET_UP = "setup";
  private static final String COPY = "copy";
  static final String SHARED = "shared-directory";
  private static final String NO_HOOKS = "no-hooks";
  private static final String COMMIT_TITLE = "commit-title";

  private final List<String> setUp;
  private final List<Path> copies = new ArrayList<>();
  private final boolean isShared;

  /**
   * Reads the options of a call.
   *
   * @throws UsageException if the set-up command or a path is invalid
   */
  TeamPlaces(Arguments arguments) {
    this.isShared = arguments.has(SHARED);
    String line = arguments.text(SET_UP);
    this.setUp = line == null ? List.of() : AcpCommand.words(arguments.written(SET_UP, 0), line);
    List<String> paths = arguments.values(COPY);
    for (int i = 0; i < paths.size(); i++) {
      copies.add(path(arguments.written(COPY, i), paths.get(i)));
    }
    if (isShared && !(setUp.isEmpty() && copies.isEmpty())) {
      String option = arguments.written(setUp.isEmpty() ? COPY : SET_UP, 0);
      throw new UsageException(
          option + " prepares work trees, but --" + SHARED + " uses none; omit one of the two");
    }
  }

  private static Path path(String option, String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(option + " is not a valid path: " + RalphException.quote(text));
    }
  }

  /** Adds the options for the folders and commits of a team. */
  static CommandSyntax addTo(CommandSyntax syntax) {
    return syntax
        .value(SET_UP, "COMMAND", "prepare the work tree of each agent, such as 'npm ci'")
        .values(
            COPY,
            "PATH",
            "copy an untracked path into each work tree, such as node_modules; repeatable")
        .flag(SHARED, "run several agents in this folder, without Git work trees")
        .value(
            COMMIT_TITLE,
            "TEMPLATE",
            "title of commits, such as 'feat: {title} ({task})'; {lower-title} begins with a"
                + " lower-case letter")
        .flag(NO_HOOKS, "commit without running Git hooks");
  }

  /**
   * Returns the options for commits.
   *
   * @throws UsageException if the template is invalid
   */
  static CommitOptions commits(Arguments arguments) {
    String template = arguments.text(COMMIT_TITLE);
    try {
      return new CommitOptions(!arguments.has(NO_HOOKS), template);
    } catch (RalphException e) {
      throw new UsageException(arguments.written(COMMIT_TITLE, 0) + ": " + e.getMessage());
    }
  }

  /** Sets the options for commits in a loop. */
  static void addCommits(CommitOptions commits, Loop.WorkspaceBuilder places) {
    if (!commits.hooks()) {
      places.noHooks();
    }
    if (commits.title() != null) {
      places.commitTitle(commits.title());
    }
  }

  /** Returns whether all agents work in the same folder. */
  boolean isShared() {
    return isShared;
  }

  void addTo(Loop.WorkspaceBuilder places) {
    if (isShared) {
      places.sharedDirectory();
    }
    if (!setUp.isEmpty()) {
      places.setUp(setUp);
    }
    copies.forEach(places::copy);
  }
}
