package dev.ralph.core.internal.commit;

import dev.ralph.core.internal.process.Answer;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether commits are signed: where {@code commit.gpgsign} is set, as long as that succeeds without
 * a terminal. For one thread at a time.
 */
public final class CommitSigning {

  /** A program that waits for a passphrase would wait for ever. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** A commit in a large repository takes a while besides its signature. */
  private static final Duration COMMIT_LIMIT = Duration.ofMinutes(1);

  private final Consumer<String> notices;
  private boolean isSigned;

  private CommitSigning(boolean isSigned, Consumer<String> notices) {
    this.isSigned = isSigned;
    this.notices = notices;
  }

  /**
   * Reads the configuration, and makes a trial signature where it asks for signatures.
   *
   * @param git runs in a repository with a commit, and without hooks
   * @param notices receives a sentence if the trial fails, or a later signature does
   */
  public static CommitSigning find(Git git, Consumer<String> notices) throws InterruptedException {
    Answer asked = git.run("config", "--type=bool", "--get", "commit.gpgsign");
    CommitSigning signing = new CommitSigning(asked.line().equals("true"), notices);
    if (signing.isSigned) {
      Answer trial =
          git.withoutTerminal(LIMIT).run("commit-tree", "-S", "-m", "A trial", "HEAD^{tree}");
      if (!trial.isGood()) {
        signing.stop(trial);
      }
    }
    return signing;
  }

  private void stop(Answer failed) {
    isSigned = false;
    String why = failed.why().lines().filter(line -> !line.isBlank()).findFirst().orElse("");
    notices.accept(
        "commit.gpgsign is set, and no commit can be signed within "
            + LIMIT.toSeconds()
            + " s without a terminal ("
            + RalphException.quote(why)
            + "), so commits are not signed; unlock the key before the start, as by: git commit-tree"
            + " -S -m trial HEAD^{tree}");
  }

  /**
   * Runs a command of Git that makes a commit, and once more without a signature if it fails with
   * one.
   *
   * @param input the standard input, or null
   * @param command the name of the command and its arguments
   */
  public Answer commit(Git git, @Nullable String input, String... command)
      throws InterruptedException {
    if (!isSigned) {
      return run(git, input, "--no-gpg-sign", command);
    }
    Answer signed = run(git.withoutTerminal(COMMIT_LIMIT), input, "-S", command);
    if (signed.isGood()) {
      return signed;
    }
    Answer unsigned = run(git, input, "--no-gpg-sign", command);
    if (unsigned.isGood()) {
      stop(signed);
    }
    return unsigned;
  }

  private static Answer run(Git git, @Nullable String input, String option, String... command)
      throws InterruptedException {
    List<String> all = new ArrayList<>(List.of(command));
    all.add(1, option);
    String[] arguments = all.toArray(new String[0]);
    return input == null ? git.run(arguments) : git.runWith(input, arguments);
  }
}
