package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.UnmergedFiles;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A merge, rebase or the like that an agent has not brought to its end. Where all conflicts are
 * resolved it is committed as any work is. Otherwise it must not become a merge: what the other
 * side changed in a file in conflict would be gone without anybody seeing it. So it is kept on a
 * branch beside, and undone.
 */
final class UnfinishedMerge {

  private final SessionRepository repository;
  private final Git git;
  private final Path root;
  private final Path own;

  UnfinishedMerge(SessionRepository repository, Git git, Path root, Path own) {
    this.repository = repository;
    this.git = git;
    this.root = root;
    this.own = own;
  }

  /**
   * Ends it.
   *
   * @return where its state is kept, in a sentence; null if all conflicts were resolved, or there
   *     was no state
   */
  @Nullable String end(String branch) throws InterruptedException {
    boolean rebasing = has("rebase-merge") || has("rebase-apply");
    boolean resolved = new UnmergedFiles(git, root).unresolved().isEmpty();
    if (!rebasing && resolved) {
      if (has("CHERRY_PICK_HEAD") || has("REVERT_HEAD") || has("sequencer")) {
        quit("cherry-pick"); // would end a merge too
      }
      if (has("BISECT_LOG")) {
        git.run("bisect", "reset", "HEAD"); // stays at the commit, which may have changes
      }
      return null;
    }
    String sentence = null;
    List<String> ignored = repository.changes(git, root).stage();
    repository.noticeOfIgnored(root, ignored);
    String tree = repository.ask(git, "write-tree");
    if (!tree.equals(repository.ask(git, "rev-parse", "HEAD^{tree}"))) {
      String message = "What an agent had merged when it was ended";
      String kept = repository.tell(git, message, "commit-tree", tree, "-p", "HEAD", "-F", "-");
      sentence =
          "an agent ended in the middle of a merge on "
              + branch
              + "; its state is kept on "
              + repository.keepBeside(branch, kept);
      repository.notice(sentence);
    }
    for (String each : List.of("merge", "rebase", "am", "cherry-pick", "revert")) {
      quit(each);
    }
    repository.ask(git, "reset", "--quiet", "--hard");
    return sentence;
  }

  private boolean has(String name) {
    return Files.exists(own.resolve(name));
  }

  /** Forgets what was begun, and leaves files and index as they are. */
  private void quit(String what) throws InterruptedException {
    git.run(what, "--quit"); // says so where nothing was begun
  }
}
