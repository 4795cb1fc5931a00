package dev.ralph.cli.progress;

import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitHead;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts the commits of a run on the branch that receives the work. */
final class RunCommits {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * The number of commits of a run.
   *
   * @param since the full id of the commit before the run, or null without earlier commits
   */
  record Count(String branch, int commits, @Nullable String since) {}

  private final Path folder;
  private final @Nullable String branch;
  private final @Nullable String since;

  /** Set for a folder without a repository, or with an unreadable state. */
  private final boolean isUnknown;

  private RunCommits(
      Path folder, @Nullable String branch, @Nullable String since, boolean isUnknown) {
    this.folder = folder;
    this.branch = branch;
    this.since = since;
    this.isUnknown = isUnknown;
  }

  /**
   * Records the state before a run.
   *
   * @param folder the user's checkout
   * @param branch the session's branch, which need not exist yet; null for work in the checkout
   */
  static RunCommits of(Path folder, @Nullable String branch) {
    GitHead head = GitHead.of(folder);
    String since = head.commit();
    if (branch != null) {
      String tip =
          new Git(folder, PATIENCE)
              .query("rev-parse", "--verify", "--quiet", SessionNames.head(branch) + "^{commit}")
              .orElse("")
              .strip();
      since = GitHead.isId(tip) ? tip : since;
    }
    boolean isUnknown = branch == null && head.branch() == null && head.commit() == null;
    return new RunCommits(folder, branch, since, isUnknown);
  }

  /** Returns the number of commits since the start, or null if the number is unknown. */
  @Nullable Count count() {
    if (isUnknown) {
      return null;
    }
    List<String> arguments = new ArrayList<>(List.of("rev-list", "--count"));
    arguments.add(branch == null ? "HEAD" : SessionNames.head(branch));
    if (since != null) {
      arguments.add("^" + since);
    }
    arguments.add("--");
    String answer =
        new Git(folder, PATIENCE).query(arguments.toArray(new String[0])).orElse("").strip();
    String name = branch == null ? GitHead.of(folder).branch() : branch;
    try {
      return new Count(name == null ? "a detached HEAD" : name, Integer.parseInt(answer), since);
    } catch (NumberFormatException unknown) {
      return null;
    }
  }
}
