package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The Git repositories within a work tree. A commit holds none of their files, only the id of a
 * commit that may be nowhere else, and git says no more of that than a warning.
 */
public final class NestedRepositories {

  /** The mode of what stands for a repository in a tree. */
  private static final String LINK = "160000";

  /** Of an entry that has changed: the fields before its path. */
  private static final int STATUS_FIELDS = 8;

  private final Path root;
  private final Git git;

  /** Makes what looks into a work tree. */
  public NestedRepositories(Path root, Git git) {
    this.root = root;
    this.git = git;
  }

  /**
   * Checks that a commit of everything holds everything.
   *
   * @param accepted the commit up to which everything is as it shall be
   * @param except what is not committed
   * @throws RalphException INVALID if not, with what to do
   */
  public void requireNoneLeftOut(String accepted, String except) throws InterruptedException {
    // A folder that git does not look into is a repository.
    for (String path : lines("ls-files", "--others", "--exclude-standard", "-z", ":/", except)) {
      if (path.endsWith("/")) {
        throw RalphException.invalid(
            root.resolve(path)
                + " is a Git repository of its own, so a commit would hold none of its files;"
                + " remove its .git to commit them, or name the folder in .gitignore");
      }
    }
    requireNoLinkSince(accepted);
    requireNoChangedSubmodule();
  }

  private void requireNoLinkSince(String accepted) throws InterruptedException {
    List<String> changes = lines("diff", "--cached", "--raw", "--no-renames", "-z", accepted);
    for (int i = 0; i + 1 < changes.size(); i += 2) {
      String[] modes = changes.get(i).split(" ");
      String path = changes.get(i + 1);
      if (!modes[0].equals(":" + LINK) && modes[1].equals(LINK) && !isSubmodule(path)) {
        throw RalphException.invalid(
            root.resolve(path)
                + " is a Git repository of its own, and only a link to it is committed, none of"
                + " its files; run: "
                + CommandLineWords.join(
                    List.of("git", "-C", root.toString(), "rm", "--cached", path))
                + ", then remove its .git to commit them, or name the folder in .gitignore");
      }
    }
  }

  private boolean isSubmodule(String path) throws InterruptedException {
    return lines("config", "-z", "--file", ".gitmodules", "--get-regexp", "\\.path$").stream()
        .anyMatch(entry -> entry.endsWith("\n" + path));
  }

  private void requireNoChangedSubmodule() throws InterruptedException {
    for (String entry : lines("status", "--porcelain=v2", "-z", "--untracked-files=no")) {
      String[] fields = entry.split(" ", STATUS_FIELDS + 1);
      boolean isEntry = fields.length > STATUS_FIELDS && fields[0].equals("1");
      if (isEntry && fields[2].matches("S.M.")) {
        throw RalphException.invalid(
            "the submodule "
                + root.resolve(fields[STATUS_FIELDS])
                + " has changes that are in no commit of its own; commit them there");
      }
    }
  }

  /** Returns what git prints, without what is cut off of too much; nothing where it refuses. */
  private List<String> lines(String... arguments) throws InterruptedException {
    Answer answer = git.run(arguments);
    return answer.isGood()
        ? Stream.of(answer.output().split("\0")).filter(line -> !line.isEmpty()).toList()
        : List.of();
  }
}
