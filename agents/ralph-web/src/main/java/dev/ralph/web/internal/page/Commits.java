package dev.ralph.web.internal.page;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Meta;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Renders the changes of iterations and tasks from the server's repository. The log provides only
 * the ids of commits, never the place of the repository. Safe for use by many threads.
 */
final class Commits {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The longest diff in characters that a page can show without becoming slow. */
  private static final int MOST = 400_000;

  private static final int MOST_COMMITS = 100;

  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

  private final @Nullable Path repository;

  /**
   * Creates a reader.
   *
   * @param repository a folder of the repository, or null for none
   */
  Commits(@Nullable Path repository) {
    this.repository = repository;
  }

  /**
   * Returns the changes, or the reason why they are unknown.
   *
   * @param ref a task, or the number of an iteration
   */
  Meta of(Session session, String ref) {
    return ref.matches("[0-9]{1,9}")
        ? ofIteration(session, Integer.parseInt(ref))
        : ofTask(session.tasks().get(ref));
  }

  private Meta ofIteration(Session session, int iteration) {
    WorkOrigin told = WorkOrigin.of(session, iteration);
    String begin = told.begin();
    String end = told.end();
    if (begin == null || end == null) {
      return why("The record of this iteration lacks its first and last commit.");
    }
    return begin.equals(end) ? why("This iteration made no commit.") : between(begin, end);
  }

  private Meta ofTask(Task task) {
    String commit = task.commit();
    return commit == null
        ? why("This task was not merged as a separate commit; see its iteration.")
        : between(commit + "^", commit);
  }

  private Meta between(String begin, String end) {
    if (repository == null) {
      return why("The server has no repository: start ralph serve in the repository.");
    }
    String base = begin.endsWith("^") ? begin.substring(0, begin.length() - 1) : begin;
    if (!isCommit(base) || !isCommit(end)) {
      return why("The recorded commit name is invalid.");
    }
    Git git = new Git(repository, PATIENCE);
    Optional<String> diff =
        git.query("diff", "--no-ext-diff", "--no-textconv", "--no-color", begin, end, "--");
    List<Meta> commits = list(git, begin + ".." + end, MOST_COMMITS);
    if (commits == null) {
      return why(
          "The repository of this server lacks "
              + base
              + " and "
              + end
              + ": the commits may be on a different host or were reverted.");
    }
    String text = diff.orElse("(too long; run: git diff " + begin + " " + end + ")");
    return Meta.of("commits", commits).with("diff", PageJson.cut(text, MOST));
  }

  /** Returns whether a text is the full id of a commit. */
  static boolean isCommit(String text) {
    return COMMIT.matcher(text).matches();
  }

  /** Returns the newest commits of a range, or null if a commit is missing. */
  static @Nullable List<Meta> list(Git git, String range, int most) {
    Optional<String> log =
        git.query(
            "log", "--no-show-signature", "--format=%h%x09%s", "--max-count=" + most, range, "--");
    if (log.isEmpty()) {
      return null;
    }
    List<Meta> commits = new ArrayList<>();
    for (String line : log.get().lines().toList()) {
      String[] parts = line.split("\t", 2);
      commits.add(
          Meta.of("id", parts[0])
              .with("subject", PageJson.cut(parts.length > 1 ? parts[1] : "", PageJson.BEGINNING)));
    }
    return commits;
  }

  private static Meta why(String reason) {
    return Meta.of("why", reason);
  }
}
