package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.UnmergedFiles;
import dev.ralph.core.internal.process.Git;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished merge, rebase or similar operation of an agent. If all conflicts are resolved, it
 * is committed like other work. Otherwise a commit would silently drop the other side's changes to
 * conflicting files. So the state is kept on a separate branch, and the operation is undone.
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
   * Ends the operation.
   *
   * @return a sentence about the kept state; null if all conflicts were resolved, or there was no
   *     state
   */
  @Nullable String end(String branch) throws InterruptedException {
    boolean rebasing = has("rebase-merge") || has("rebase-apply");
    boolean resolved = new UnmergedFiles(git, root).unresolved().isEmpty();
    if (!rebasing && resolved) {
      if (has("CHERRY_PICK_HEAD") || has("REVERT_HEAD") || has("sequencer")) {
        quit("cherry-pick"); // would also end a merge
      }
      if (has("BISECT_LOG")) {
        git.run("bisect", "reset", "HEAD"); // keeps the commit, which may have changes
      }
      return null;
    }
    String sentence = null;
    List<String> ignored = repository.changes(git, root).stage();
    repository.noticeOfIgnored(root, ignored);
    String tree = repository.ask(git, "write-tree");
    if (!tree.equals(repository.ask(git, "rev-parse", "HEAD^{tree}"))) {
      String message = "Keep the merge of an ended agent";
      String kept = repository.feed(git, message, "commit-tree", tree, "-p", "HEAD", "-F", "-");
      sentence =
          "an agent was ended during a merge on "
              + branch
              + "; the state of the merge is kept on "
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

  /** Ends an operation without changing files and index. */
  private void quit(String what) throws InterruptedException {
    git.run(what, "--quit"); // fails if the operation is not active
  }
}
