package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * Moves the checked-out branch to a later commit without replacing untracked files. An untracked
 * file with the same content as in the commit is kept and becomes tracked.
 */
public final class FastForward {

  private FastForward() {}

  /**
   * Moves the branch.
   *
   * @param git runs in the work tree's top folder
   * @param root the top folder of the work tree
   * @param commit a commit whose history contains the branch
   * @param remedy the end of the message of a refusal, such as {@code run: git merge x}
   * @throws RalphException INVALID if there are conflicting files, with their names, or if Git
   *     refuses. Nothing is changed
   */
  public static void run(Git git, Path root, String commit, String remedy)
      throws InterruptedException {
    CheckoutConflicts conflicts = CheckoutConflicts.all(git, root, commit);
    if (!conflicts.isEmpty()) {
      throw conflicts.refusal(remedy);
    }
    List<CheckoutConflicts.Addition> identical = conflicts.identical();
    stage(git, identical, true);
    CommandResult merged =
        GitTrees.patient(git, "merge", "--quiet", "--ff-only", "--no-overwrite-ignore", commit);
    if (!merged.isGood()) {
      stage(git, identical, false);
    }
    GitTrees.require("git merge in " + root, merged);
    for (CheckoutConflicts.Addition each : identical) {
      Path file = root.resolve(each.path());
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        // Some file systems have no such permission.
        boolean unused = file.toFile().setExecutable(each.mode().equals("100755"));
      }
    }
  }

  /**
   * Adds entries to the index or removes them. Git keeps files whose entry equals the commit's
   * entry.
   */
  private static void stage(Git git, List<CheckoutConflicts.Addition> entries, boolean isAdded)
      throws InterruptedException {
    if (entries.isEmpty()) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    for (CheckoutConflicts.Addition each : entries) {
      lines.append(isAdded ? each.mode() : "0").append(' ').append(each.id());
      lines.append('\t').append(each.path()).append('\0');
    }
    CommandResult staged =
        GitTrees.patientWith(lines.toString(), git, "update-index", "--add", "-z", "--index-info");
    GitTrees.require("git update-index", staged);
  }
}
