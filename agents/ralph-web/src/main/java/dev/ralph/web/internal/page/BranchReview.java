package dev.ralph.web.internal.page;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Renders the changes of a session's branch, or of a task, against its base. Reads commits of the
 * server's repository only, never files of a work tree, so no link is followed. The names of
 * branches are derived from the session and the task's number. Safe for use by many threads.
 */
final class BranchReview {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int MOST_FILES = 2_000;
  private static final int MOST_COMMITS = 200;
  private static final int MOST_TASKS = 200;

  /** The longest diff of a file in characters that a page can show without becoming slow. */
  private static final int MOST_DIFF = 400_000;

  private final @Nullable Path repository;

  /**
   * Creates a reader.
   *
   * @param repository a folder of the repository, or null for none
   */
  BranchReview(@Nullable Path repository) {
    this.repository = repository;
  }

  /** The compared commits, or the reason why they are unknown. */
  private record Range(String base, String head, @Nullable String why) {

    static Range unknown(String why) {
      return new Range("", "", why);
    }
  }

  /**
   * Returns the compared commits, the commits between them, and the changed files; or the reason
   * why they are unknown.
   *
   * @param ref a task, or null for the whole branch
   */
  Meta of(Session session, @Nullable String ref) {
    Meta result = Meta.of("tasks", tasks(session));
    if (repository == null) {
      return result.with("why", "The server has no repository: start ralph serve in it.");
    }
    Git git = new Git(repository, PATIENCE);
    Range range = range(git, session, ref);
    if (range.why() != null) {
      return result.with("why", range.why());
    }
    Optional<String> names = diff(git, "--name-status", range);
    Optional<String> counts = diff(git, "--numstat", range);
    if (names.isEmpty() || counts.isEmpty()) {
      return result.with(
          "why", "The changes exceed 8 MB. Run: ralph branch diff " + session.name());
    }
    List<Meta> files = files(names.get(), counts.get());
    return result
        .with("base", range.base())
        .with("head", range.head())
        .with("commits", Commits.list(git, range.base() + ".." + range.head(), MOST_COMMITS))
        .with("total", files.size())
        .with("files", files.subList(0, Math.min(files.size(), MOST_FILES)));
  }

  /**
   * Returns the differences of a file.
   *
   * @param path the path of a changed file, relative to the top of the repository
   * @throws RalphException NOT_FOUND if the file is not changed
   */
  Meta file(Session session, @Nullable String ref, String path) {
    Git git = new Git(repository == null ? Path.of("") : repository, PATIENCE);
    Range range = repository == null ? Range.unknown("no repository") : range(git, session, ref);
    String names = range.why() == null ? diff(git, "--name-only", range).orElse("") : "";
    if (!List.of(names.split("\0")).contains(path) || path.isEmpty()) {
      throw RalphException.notFound("no changed file " + RalphException.quote(path));
    }
    String text =
        git.query("diff", "--no-renames", range.base(), range.head(), "--", ":(top,literal)" + path)
            .orElse("(too long; run: ralph branch diff " + session.name() + ")");
    return Meta.of("diff", PageJson.cut(text, MOST_DIFF)).with("head", range.head());
  }

  private static Optional<String> diff(Git git, String form, Range range) {
    return git.query("diff", form, "-z", "--no-renames", range.base(), range.head(), "--");
  }

  // ---- compared commits

  private static Range range(Git git, Session session, @Nullable String ref) {
    SessionNames names = new SessionNames(session.name());
    if (ref == null) {
      return ofBranch(git, names.branch(), "HEAD", names.base());
    }
    Task task = session.tasks().get(ref);
    String commit = task.commit();
    if (commit == null) {
      String head = SessionNames.head(names.branch());
      return ofBranch(git, names.branch(task.number()), head, names.base());
    }
    String head = Commits.isCommit(commit) ? commit(git, commit) : null;
    String base = head == null ? null : commit(git, head + "^");
    return base == null || head == null
        ? Range.unknown("The repository of this server lacks the commit of t" + task.number() + ".")
        : new Range(base, head, null);
  }

  /**
   * Returns the range from the merge base of a branch with another reference. A host without the
   * user's checkout has recorded the base instead.
   */
  private static Range ofBranch(Git git, String branch, String other, String recorded) {
    String head = commit(git, SessionNames.head(branch));
    if (head == null) {
      return Range.unknown("The repository of this server has no branch " + branch + ".");
    }
    Optional<String> shared =
        git.query("merge-base", other, head).map(String::strip).filter(Commits::isCommit);
    String base = shared.isPresent() ? shared.get() : commit(git, recorded);
    if (base == null) {
      return Range.unknown("The branch " + branch + " shares no commit with your branch.");
    }
    return base.equals(head)
        ? Range.unknown("The branch " + branch + " has nothing left to merge.")
        : new Range(base, head, null);
  }

  private static @Nullable String commit(Git git, String ref) {
    return git.query("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}")
        .map(String::strip)
        .filter(Commits::isCommit)
        .orElse(null);
  }

  // ---- lists

  /** Returns the tasks with a merge or a branch, the newest first. */
  private static List<Meta> tasks(Session session) {
    List<Meta> all = new ArrayList<>();
    List<Task> tasks = session.tasks().list();
    for (int i = tasks.size() - 1; i >= 0 && all.size() < MOST_TASKS; i--) {
      Task task = tasks.get(i);
      if (task.commit() != null || task.branch() != null) {
        all.add(
            Meta.of("n", task.number())
                .with("text", task.beginning(80))
                .with("merged", task.commit() != null ? true : null));
      }
    }
    return all;
  }

  /** Returns the files with their status, and their added and removed lines; null if binary. */
  private static List<Meta> files(String names, String counts) {
    Map<String, String[]> lines = new LinkedHashMap<>();
    for (String entry : counts.split("\0")) {
      String[] parts = entry.split("\t", 3);
      if (parts.length == 3) {
        lines.put(parts[2], parts);
      }
    }
    List<Meta> files = new ArrayList<>();
    String[] parts = names.split("\0");
    for (int i = 0; i + 1 < parts.length; i += 2) {
      String[] count = lines.getOrDefault(parts[i + 1], new String[] {"-", "-"});
      files.add(
          Meta.of("path", parts[i + 1])
              .with("status", parts[i])
              .with("added", count[0].equals("-") ? null : Integer.valueOf(count[0]))
              .with("removed", count[1].equals("-") ? null : Integer.valueOf(count[1])));
    }
    return files;
  }
}
