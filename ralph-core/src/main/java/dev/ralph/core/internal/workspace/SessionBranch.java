package dev.ralph.core.internal.workspace;

import dev.ralph.Verdict;
import dev.ralph.core.internal.git.BranchOwner;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.CommandLineWords;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The branch into which a session's work is merged. While a loop holds the session, only its merge
 * queue moves the branch. Other changes are then kept on another branch and undone. Between loops a
 * person may add commits. For the thread that merges.
 */
final class SessionBranch {

  private final SessionRepository repository;
  private final SessionNames names;
  private final String branch;
  private final String head;
  private final String accepted;

  /** The commit of {@link #accepted} as known to this process; null before {@link #open}. */
  private @Nullable String lastAccepted;

  /** The commits that have passed in this process. */
  private final Set<String> passed = new HashSet<>();

  /** The last commit that failed in this process; null if none exists. */
  private @Nullable String failed;

  /** The verdict on {@link #failed}. */
  private @Nullable Verdict failure;

  /** The merge commits by token. */
  private final Map<String, String> merged = new HashMap<>();

  SessionBranch(SessionRepository repository) {
    this.repository = repository;
    this.names = repository.names();
    this.branch = names.branch();
    this.head = SessionNames.head(branch);
    this.accepted = names.accepted();
  }

  /**
   * Creates the branch if it does not exist, and checks that it can move.
   *
   * @param owner the session that must own the branch; null if any session may own it
   */
  void open(@Nullable BranchOwner owner) throws InterruptedException {
    if (owner != null) {
      owner.require(repository.git(), names);
    }
    String tip = repository.commit(head);
    String known = repository.commit(accepted);
    if (known == null && tip != null) {
      throw GitTrees.taken(names);
    }
    if (known == null) {
      String at = repository.ask("rev-parse", "--verify", "HEAD^{commit}");
      List<String> created = List.of("create " + head + " " + at, "create " + accepted + " " + at);
      repository.change(owner == null ? created : owner.with(created, names, at));
    } else if (tip == null) {
      putBack(null, known);
    } else if (!repository.isWithin(known, tip)) {
      throw RalphException.invalid(
          "the branch "
              + branch
              + " no longer contains the merged work up to "
              + known
              + "; to restore the branch: git branch -f "
              + branch
              + " "
              + known
              + "; to continue without this work: git update-ref "
              + accepted
              + " "
              + branch);
    } else {
      repository.change(List.of("update " + accepted + " " + tip));
    }
    lastAccepted = repository.commit(accepted);
    if (owner != null) {
      owner.record(repository.git(), names);
    }
    releaseBranch();
    follow();
    readMerged();
    reportProblems();
  }

  /**
   * Moves the branch to the user's checked-out commit, like a new branch, if that commit contains
   * all of the branch.
   */
  private void follow() throws InterruptedException {
    String at = repository.ask("rev-parse", "--verify", "HEAD^{commit}");
    String tip = tip();
    if (!at.equals(tip) && repository.isWithin(tip, at)) {
      repository.change(
          List.of("update " + head + " " + at + " " + tip, "update " + accepted + " " + at));
      lastAccepted = at;
    }
  }

  /**
   * Returns the newest accepted commit. Restores the reference if it was deleted. For any thread.
   */
  synchronized String accepted() throws InterruptedException {
    String last = Objects.requireNonNull(lastAccepted, "not open");
    String found = repository.commit(accepted);
    if (found == null) {
      repository.change(List.of("update " + accepted + " " + last));
      repository.notice(
          "the reference " + accepted + " was deleted while agents work, and is restored");
    }
    return found == null ? last : found;
  }

  /** Releases the branch from the work tree of a former single-agent build. */
  private void releaseBranch() throws InterruptedException {
    Path own = GitTrees.real(repository.folder(names.session()));
    for (Path root : repository.checkedOutIn(branch)) {
      if (!root.equals(own)) {
        throw RalphException.invalid(
            "the branch "
                + branch
                + " is checked out in "
                + root
                + ", so a merge would change the checkout; check out a different branch: "
                + CommandLineWords.join(
                    List.of("git", "-C", root.toString(), "switch", "--detach")));
      }
      int changed = repository.changes(SessionRepository.in(root), root).all().size();
      if (changed > 0) {
        throw RalphException.invalid(
            changed
                + (changed == 1 ? " file is" : " files are")
                + " changed and not committed in "
                + root
                + ", the checkout of the branch "
                + branch
                + "; commit the changes there, or discard them: "
                + CommandLineWords.join(
                    List.of("git", "-C", root.toString(), "stash", "--include-untracked")));
      }
      repository.releaseBranch(root, tip());
    }
  }

  /**
   * Reads earlier merges from the commits, including merges of a process killed before it recorded
   * them.
   */
  private void readMerged() throws InterruptedException {
    String form = "--format=%H %(trailers:key=" + SessionNames.CLAIM + ",valueonly,separator=%x20)";
    String commits =
        repository.ask(
            "log", "--basic-regexp", "--grep=^" + SessionNames.mergedUnder(""), form, head);
    for (String line : commits.lines().toList()) {
      String[] fields = line.strip().split(" ");
      if (fields.length == 2) {
        merged.put(fields[1], fields[0]);
      }
    }
  }

  /** Finds problems to report to a person. */
  private void reportProblems() throws InterruptedException {
    Git git = repository.git();
    int changed = GitTrees.changed(git);
    if (changed > 0) {
      repository.notice(
          changed
              + (changed == 1 ? " file" : " files")
              + " changed in "
              + repository.checkout()
              + " but not committed; the agents' work trees lack "
              + (changed == 1 ? "the change" : "the changes"));
    }
    String newer = repository.ask("rev-list", "--count", head + "..HEAD");
    if (!newer.equals("0")) {
      repository.notice(
          newer
              + (newer.equals("1") ? " commit" : " commits")
              + " of the checkout "
              + repository.checkout()
              + (newer.equals("1") ? " is" : " are")
              + " not on "
              + branch
              + "; add a task to merge the missing commits");
    }
    String tree = repository.ask("ls-tree", "--name-only", head, ".gitmodules", ".gitattributes");
    if (tree.contains(".gitmodules")) {
      repository.notice(
          "submodules are empty in agents' folders; to fill them, set the set-up command: git"
              + " submodule update --init --recursive");
    }
    if (tree.contains(".gitattributes")
        && git.query("show", head + ":.gitattributes").orElse("").contains("filter=lfs")
        && !git.run("config", "--get-regexp", "^filter\\.lfs\\.(clean|process)$").isGood()) {
      repository.notice(
          "some files are stored in Git LFS, which is not set up here, so agents see only"
              + " pointer files; run: git lfs install");
    }
  }

  /** Returns the newest commit. First undoes changes by other programs than the merge queue. */
  String tip() throws InterruptedException {
    Map<String, String> refs = repository.refs(head, accepted);
    String tip = refs.get(head);
    String marked = refs.get(accepted);
    String known = marked == null ? accepted() : marked;
    if (tip != null && !known.equals(tip) && passed.contains(tip)) {
      moved(tip);
      return tip;
    }
    if (!known.equals(tip)) {
      putBack(tip, known);
    }
    return known;
  }

  /** Records that a commit has passed; the branch may move to it later. */
  void passed(String commit) {
    passed.add(commit);
  }

  /** Returns whether the newest commit has passed. */
  boolean isPassed() throws InterruptedException {
    return passed.contains(tip());
  }

  /** Returns the verdict on the newest commit; null if it was not checked in this process. */
  @Nullable Verdict verdict() throws InterruptedException {
    String tip = tip();
    return passed.contains(tip) ? Verdict.passed() : tip.equals(failed) ? failure : null;
  }

  /** Records the verdict on the newest commit. */
  void judged(Verdict verdict) throws InterruptedException {
    if (!verdict.isPassed()) {
      failed = tip();
      failure = verdict;
    }
  }

  private void putBack(@Nullable String tip, String known) throws InterruptedException {
    if (tip == null) {
      repository.change(List.of("create " + head + " " + known));
      repository.notice(
          "the branch "
              + branch
              + " was deleted while agents work, and is restored with all"
              + " merged work");
      return;
    }
    boolean isOlder = repository.isWithin(tip, known);
    String kept = isOlder ? "" : repository.keepBeside(names.branch(Workspaces.NO_TASK), tip);
    repository.change(List.of("update " + head + " " + known + " " + tip));
    repository.notice(
        "the branch "
            + branch
            + " was moved while agents work, and is reset to the merged work"
            + (isOlder ? "" : "; the replaced commit is kept on " + kept));
  }

  /** Records a move of the branch by the merge queue. */
  synchronized void moved(String commit) throws InterruptedException {
    repository.change(List.of("update " + accepted + " " + commit));
    lastAccepted = commit;
  }

  /** Returns the merge commit of a token; null if none exists. */
  @Nullable String merged(String token) {
    return merged.get(token);
  }

  /** Records the merge commit of a token. */
  void merged(String token, String commit) {
    merged.put(token, commit);
  }

  /** Returns the commit message of a piece, with trailers for its task and claim. */
  static String message(Workspaces.Piece piece) {
    return piece.token().isEmpty()
        ? piece.message()
        : piece.message().strip()
            + "\n\nRalph-Task: "
            + piece.task()
            + "\n"
            + SessionNames.mergedUnder(piece.token());
  }
}
