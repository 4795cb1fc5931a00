package dev.ralph.core.internal.workspace;

import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.NestedRepositories;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An agent's folder: a work tree that is made once, and has the branch of one task after the other,
 * so that what builds have made stays. Whatever an agent leaves there is kept. For one thread.
 */
final class AgentTree {

  /** In the tree's own folder of Git's: the branch that the agent works on. */
  private static final String BRANCH = "ralph-branch";

  private static final String KEPT = "What an agent left when it was ended";

  private final SessionRepository repository;
  private final Path root;
  private final Git git;

  AgentTree(SessionRepository repository, Path root) {
    this.repository = repository;
    this.root = root;
    this.git = SessionRepository.in(root);
  }

  Path root() {
    return root;
  }

  /**
   * Checks a branch out; before, keeps what was left here, and makes the folder if it is not there.
   */
  void enter(String branch) throws InterruptedException {
    recover();
    if (!isWhole()) {
      make(SessionNames.head(branch));
    }
    repository.tell(git, null, "checkout", "--quiet", "--force", branch, "--");
    write(own().resolve(BRANCH), branch);
  }

  /** Keeps what was left here. What can't be committed is moved aside, so that others can work. */
  void recover() throws InterruptedException {
    if (!Files.exists(root) || isHalfMade()) {
      return;
    }
    try {
      if (!isWhole()) {
        GitTrees.patient(repository.git(), "worktree", "repair", root.toString());
      }
      if (isWhole()) {
        keep(null, KEPT);
        return;
      }
      setAside("Git does not know it any more");
    } catch (RalphException e) {
      setAside(e.getMessage());
    }
  }

  private void setAside(@Nullable String why) throws InterruptedException {
    int number = 1;
    Path aside = root.resolveSibling(root.getFileName() + "-left-1");
    while (Files.exists(aside)) {
      number++;
      aside = root.resolveSibling(root.getFileName() + "-left-" + number);
    }
    Path there = aside;
    repository.changeTrees(
        () -> {
          String[] move = {"worktree", "move", "--force", "--force", root.toString(), "" + there};
          if (!GitTrees.patient(repository.git(), move).isGood()) {
            rename(there);
          }
        });
    repository.notice(
        "what an agent left in "
            + root
            + " can't be kept on a branch: "
            + why
            + "; it was moved to "
            + aside);
  }

  private void rename(Path aside) {
    try {
      Files.move(root, aside);
    } catch (IOException e) {
      throw RalphException.io("can't move " + root + " to " + aside, e);
    }
  }

  /** Returns whether it is there from its beginning to its end. */
  private boolean isWhole() throws InterruptedException {
    return Files.exists(root.resolve(".git"))
        && isOwnTop()
        && Files.exists(own().resolve(GitTrees.WHOLE));
  }

  /** Without its file .git, everything would be done to the checkout above. */
  private boolean isOwnTop() throws InterruptedException {
    Answer top = git.run("rev-parse", "--show-toplevel");
    return top.isGood() && GitTrees.real(Path.of(top.line())).equals(GitTrees.real(root));
  }

  /** Returns whether a killed git has left it before anybody worked here. */
  private boolean isHalfMade() throws InterruptedException {
    return Files.exists(root.resolve(".git"))
        && isOwnTop()
        && !Files.exists(own().resolve(GitTrees.WHOLE));
  }

  /** Returns the tree's own folder of Git's. */
  private Path own() throws InterruptedException {
    return root.resolve(repository.ask(git, "rev-parse", "--git-dir"));
  }

  private void make(String commit) throws InterruptedException {
    GitTrees.ignore(root);
    repository.changeTrees(() -> register(commit));
    repository.tell(git, null, "reset", "--quiet", "--hard");
    write(own().resolve(GitTrees.WHOLE), "");
  }

  private void register(String commit) throws InterruptedException {
    // What is registered here has lost its folder, or was never made to its end.
    String[] remove = {"worktree", "remove", "--force", "--force", root.toString()};
    if (!GitTrees.patient(repository.git(), remove).isGood()) {
      requireFree();
    }
    String[] add = {
      "worktree", "add", "--quiet", "--no-checkout", "--detach", root.toString(), commit
    };
    repository.tell(repository.git(), null, add);
  }

  private void requireFree() {
    if (!Files.isDirectory(root)) {
      return;
    }
    try (Stream<Path> files = Files.list(root)) {
      if (files.findAny().isPresent()) {
        throw RalphException.invalid(
            "the folder " + root + " is in the way and no work tree; move it away");
      }
    } catch (IOException e) {
      throw RalphException.io("can't look into " + root, e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw RalphException.io("can't write " + file, e);
    }
  }

  /**
   * Commits all that is here on the branch that was entered, whatever is checked out.
   *
   * @param branch that was entered; null if that is to be found out
   */
  void keep(@Nullable String branch, String message) throws InterruptedException {
    if (!isWhole()) {
      if (!Files.exists(root)) {
        repository.notice("the folder " + root + " is gone, with what was not committed there");
        return;
      }
      recover();
      return;
    }
    String entered = branch == null ? entered() : branch;
    new UnfinishedMerge(repository, git, root, own()).end(entered);
    String head = SessionNames.head(entered);
    if (git.run("symbolic-ref", "--quiet", "HEAD").line().equals(head)) {
      if (repository.commit(head) == null) {
        restore(head);
      }
      stage(head);
      if (isChanged()) {
        repository.tell(
            git, message, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-F", "-");
      }
      return;
    }
    bringBack(entered, message);
  }

  private String entered() throws InterruptedException {
    Path file = own().resolve(BRANCH);
    try {
      String branch = Files.exists(file) ? Files.readString(file).strip() : "";
      return repository.names().number(branch).isPresent()
          ? branch
          : repository.names().branch(Workspaces.NO_TASK);
    } catch (IOException e) {
      throw RalphException.io("can't read " + file, e);
    }
  }

  /** Makes a branch again that somebody has deleted while it was checked out here. */
  private void restore(String head) throws InterruptedException {
    Path log = own().resolve("logs/HEAD");
    try {
      List<String> moves = Files.exists(log) ? Files.readAllLines(log) : List.of();
      String last = moves.isEmpty() ? "" : moves.get(moves.size() - 1);
      String[] fields = last.split(" ", 3);
      if (fields.length > 1) {
        repository.change(List.of("create " + head + " " + fields[1]));
      }
    } catch (IOException e) {
      throw RalphException.io("can't read " + log, e);
    }
  }

  private void stage(String accepted) throws InterruptedException {
    new NestedRepositories(root, git).requireNoneLeftOut(accepted, GitTrees.DATA);
    repository.tell(git, null, "add", "--all", "--sparse", "--", ":/", GitTrees.DATA);
  }

  private boolean isChanged() throws InterruptedException {
    return !git.run("diff", "--cached", "--quiet").isGood()
        || Files.exists(own().resolve("MERGE_HEAD"));
  }

  /** Comes back to the branch from whatever the agent has checked out. */
  private void bringBack(String branch, String message) throws InterruptedException {
    String head = SessionNames.head(branch);
    String own = repository.commit(head);
    String began = own == null ? began(branch) : own;
    String at = SessionRepository.commit(git, "HEAD");
    stage(at == null ? "HEAD" : at);
    String top = at;
    if (at == null || isChanged()) {
      String tree = repository.ask(git, "write-tree");
      top =
          at == null
              ? repository.tell(git, message, "commit-tree", tree, "-F", "-")
              : repository.tell(git, message, "commit-tree", tree, "-p", at, "-F", "-");
    }
    if (top != null && began != null && repository.isWithin(began, top)) {
      // What it did elsewhere is what it did for the task.
      repository.change(
          List.of(
              own == null
                  ? "create " + head + " " + top
                  : "update " + head + " " + top + " " + own));
    } else if (top != null && !hasLanded(top) && !isOnABranch(top)) {
      repository.notice(
          "an agent had left "
              + branch
              + ", and what it did is kept on "
              + repository.keepBeside(branch, top));
    }
    String back = repository.commit(head) == null ? "--detach" : branch;
    repository.tell(git, null, "checkout", "--quiet", "--force", back);
  }

  private @Nullable String began(String branch) throws InterruptedException {
    return repository.refs(repository.names().began(branch, "*")).values().stream()
        .findFirst()
        .orElse(null);
  }

  private boolean hasLanded(String commit) throws InterruptedException {
    String landed = SessionRepository.landed(git);
    return landed != null && repository.isWithin(commit, landed);
  }

  private boolean isOnABranch(String commit) throws InterruptedException {
    return !repository
        .ask("for-each-ref", "--count=1", "--contains", commit, "refs/heads", "refs/remotes")
        .isEmpty();
  }
}
