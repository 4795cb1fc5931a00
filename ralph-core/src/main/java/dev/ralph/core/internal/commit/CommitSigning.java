package dev.ralph.core.internal.commit;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Signs commits if {@code commit.gpgsign} is set, as long as signing succeeds without a terminal.
 * Not thread-safe.
 */
public final class CommitSigning {

  /**
   * The time limit of a trial, because a program that prompts for a passphrase would wait forever.
   */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The time limit of a signed commit, which takes longer in a large repository. */
  private static final Duration COMMIT_LIMIT = Duration.ofMinutes(1);

  private final Consumer<String> notices;
  private boolean isSigned;

  private CommitSigning(boolean isSigned, Consumer<String> notices) {
    this.isSigned = isSigned;
    this.notices = notices;
  }

  /**
   * Reads the configuration, and creates a trial signature if signing is configured.
   *
   * @param git runs in a repository with a commit, and without hooks
   * @param notices receives a sentence if the trial or a later signature fails
   */
  public static CommitSigning find(Git git, Consumer<String> notices) throws InterruptedException {
    CommandResult asked = git.run("config", "--type=bool", "--get", "commit.gpgsign");
    CommitSigning signing = new CommitSigning(asked.line().equals("true"), notices);
    if (signing.isSigned) {
      CommandResult trial =
          git.withoutTerminal(LIMIT).run("commit-tree", "-S", "-m", "A trial", "HEAD^{tree}");
      if (!trial.isGood()) {
        signing.stop(trial);
      }
    }
    return signing;
  }

  private void stop(CommandResult failed) {
    isSigned = false;
    String why = failed.why().lines().filter(line -> !line.isBlank()).findFirst().orElse("");
    notices.accept(
        "commit.gpgsign is set, but git could not sign a commit within "
            + LIMIT.toSeconds()
            + " s without a terminal ("
            + RalphException.quote(why)
            + "), so commits are not signed; unlock the key before the start, for example: git"
            + " commit-tree -S -m trial HEAD^{tree}");
  }

  /**
   * Runs a Git command that creates a commit. If the signed commit fails, the command is retried
   * without a signature.
   *
   * @param input the standard input, or null
   * @param command the name of the command and its arguments
   */
  public CommandResult commit(Git git, @Nullable String input, String... command)
      throws InterruptedException {
    if (!isSigned) {
      return run(git, input, "--no-gpg-sign", command);
    }
    CommandResult signed = run(git.withoutTerminal(COMMIT_LIMIT), input, "-S", command);
    if (signed.isGood()) {
      return signed;
    }
    CommandResult unsigned = run(git, input, "--no-gpg-sign", command);
    if (unsigned.isGood()) {
      stop(signed);
    }
    return unsigned;
  }

  private static CommandResult run(
      Git git, @Nullable String input, String option, String... command)
      throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(command));
    all.add(1, option);
    String[] arguments = all.toArray(new String[0]);
    return input == null ? git.run(arguments) : git.runWith(input, arguments);
  }
}
