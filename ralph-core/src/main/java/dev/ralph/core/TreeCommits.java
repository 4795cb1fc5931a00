package dev.ralph.core;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.commit.CommitHooks;
import dev.ralph.core.internal.commit.CommitMessages;
import dev.ralph.core.internal.commit.CommitSigning;
import dev.ralph.core.internal.commit.CommitTitle;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commits the staged changes of a work tree. Runs the hooks as of the creation of this object, and
 * signs commits if possible. Not thread-safe.
 */
final class TreeCommits {

  /** The time limit of git commit, because a hook may run the project's tests. */
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  private static final String SAMPLE = "Add a sample";

  private final Path root;
  private final Git git;
  private final String session;
  private final CommitOptions options;
  private final CommitHooks hooks;
  private final CommitHooks.Limits limits =
      new CommitHooks.Limits(PATIENCE, ProcessMark.unique(), Redactor.none());
  private final CommitMessages messages;
  private final CommitSigning signing;
  private final List<String> notices = new ArrayList<>();

  /** The tree that passed the hook last; null before. */
  private @Nullable String passed;

  /** Reads the hooks, and tests the title and the signature. */
  TreeCommits(Path checkout, Path root, String session, CommitOptions options)
      throws InterruptedException {
    this.root = root;
    this.git = Git.alone(root, PATIENCE);
    this.session = session;
    this.options = options;
    this.hooks = CommitHooks.find(checkout, options.hooks(), notices::add);
    this.messages =
        new CommitMessages(hooks, checkout, limits.within(CommitMessages.LIMIT), notices::add);
    messages.trySample(title(SAMPLE), options.title() != null);
    this.signing = CommitSigning.find(git, notices::add);
  }

  private String title(String message) {
    String title = message.lines().findFirst().orElse("");
    return CommitTitle.ofSession(options.title(), title, session)
        + message.substring(title.length());
  }

  boolean hasPreCommit() {
    return hooks.hasPreCommit();
  }

  /** Runs the hook on the staged changes, unless these have passed. */
  Verdict preCommit() throws InterruptedException {
    if (!hooks.hasPreCommit() || tree().equals(passed)) {
      return Verdict.passed();
    }
    Verdict verdict = hooks.preCommit(root, limits);
    if (verdict.isPassed()) {
      passed = tree();
    }
    return verdict;
  }

  private String tree() throws InterruptedException {
    return GitTrees.require("git write-tree in " + root, git.run("write-tree")).line();
  }

  /**
   * Commits the staged changes.
   *
   * @throws RalphException INVALID with the output if the hook {@code pre-commit} refuses
   */
  void commit(String message) throws InterruptedException {
    Verdict verdict = preCommit();
    if (!verdict.isPassed()) {
      throw RalphException.invalid(
          "the Git hook pre-commit refuses the commit in " + root + ":\n" + verdict.reason());
    }
    String text = messages.checked(title(message));
    GitTrees.require(
        "git commit in " + root, signing.commit(git, text, "commit", "--quiet", "-F", "-"));
  }

  /** Returns the notices for people since the last call. */
  List<String> notices() {
    List<String> all = List.copyOf(notices);
    notices.clear();
    return all;
  }
}
