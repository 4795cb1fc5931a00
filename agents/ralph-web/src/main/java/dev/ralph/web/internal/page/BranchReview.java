package dev.ralph.web.internal.page;

import dev.ralph.Session;
import dev.ralph.Task;
import dev.ralph.core.internal.cost.WorkOrigin;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Renders the changes of a session's branch, a task or an iteration against its base. Reads commits
 * of the server's repository only, never files of a work tree, so no link is followed. The names of
 * branches are derived from the session and the task's number; the log provides only ids of
 * commits, never the place of the repository. Safe for use by many threads.
 */
final class BranchReview {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final int MOST_FILES = 2_000;
  private static final int MOST_COMMITS = 200;
  private static final int MOST_TASKS = 200;

  /** The longest diff of a file in characters that a page can show without becoming slow. */
  private static final int MOST_DIFF = 400_000;

  /** The beginning of the differences of a file. A line of a file has a prefix. */
  private static final Pattern SECTION = Pattern.compile("(?md)^(?=diff --git )");

  private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

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
   * @param ref a task, the number of an iteration, or null for the whole branch
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
    String commits = range.base() + ".." + range.head();
    Optional<String> names = diff(git, range, "", "--name-status", "-z");
    Optional<String> counts = diff(git, range, "", "--numstat", "-z");
    Optional<String> newest =
        git.query("log", "--format=%h%x09%s", "--max-count=" + MOST_COMMITS, commits, "--");
    Optional<String> count = git.query("rev-list", "--count", commits, "--");
    if (names.isEmpty() || counts.isEmpty() || newest.isEmpty() || count.isEmpty()) {
      return result.with(
          "why",
          "The list of changes is longer than 8 MB, or Git failed. Run: ralph branch diff "
              + session.name());
    }
    List<Meta> files = files(names.get(), counts.get());
    return result
        .with("base", range.base())
        .with("head", range.head())
        .with("commits", newest.get().lines().map(BranchReview::commit).toList())
        .with("commit_total", Integer.valueOf(count.get().strip()))
        .with("total", files.size())
        .with("added", sum(files, "added"))
        .with("removed", sum(files, "removed"))
        .with("files", files.subList(0, Math.min(files.size(), MOST_FILES)));
  }

  private static Meta commit(String line) {
    String[] parts = line.split("\t", 2);
    return Meta.of("id", parts[0])
        .with("subject", PageJson.cut(parts.length > 1 ? parts[1] : "", PageJson.BEGINNING));
  }

  private static long sum(List<Meta> files, String lines) {
    return files.stream().mapToLong(file -> file.integer(lines).orElse(0)).sum();
  }

  /**
   * Returns the differences of a file. A result without differences, or with the member {@code
   * cut}, is incomplete.
   *
   * @param path the path of a changed file as in {@link #of}, relative to the top of the repository
   * @throws RalphException NOT_FOUND if the file is not changed
   */
  Meta file(Session session, @Nullable String ref, String path) {
    Git git = new Git(repository == null ? Path.of("") : repository, PATIENCE);
    Range range = repository == null ? Range.unknown("no repository") : range(git, session, ref);
    Optional<String> names =
        path.isEmpty() || range.why() != null
            ? Optional.empty()
            : diff(git, range, path, "--name-status", "-z");
    List<Boolean> sections = sections(names.orElse(""), path);
    if (!sections.contains(true)) {
      throw RalphException.notFound("no changed file " + RalphException.quote(path));
    }
    String all = diff(git, range, path, "--patch").orElse("");
    StringBuilder text = new StringBuilder();
    int i = 0;
    for (String section : SECTION.split(all)) {
      text.append(i >= sections.size() || sections.get(i) ? section : "");
      i++;
    }
    boolean isCut = text.length() == 0 || text.length() > MOST_DIFF;
    return Meta.of("diff", PageJson.cut(text.toString(), MOST_DIFF))
        .with("cut", isCut ? true : null)
        .with("head", range.head());
  }

  /**
   * Returns for each section of a diff whether the section belongs to a file. A file that became a
   * link or a submodule has two sections.
   */
  private static List<Boolean> sections(String names, String path) {
    List<Boolean> sections = new ArrayList<>();
    String[] parts = names.split("\0");
    for (int i = 0; i + 1 < parts.length; i += 2) {
      sections.addAll(Collections.nCopies(parts[i].equals("T") ? 2 : 1, parts[i + 1].equals(path)));
    }
    return sections;
  }

  /**
   * Compares the commits.
   *
   * @param path the path of the only file to compare, or an empty text
   */
  private static Optional<String> diff(Git git, Range range, String path, String... form) {
    List<String> words = new ArrayList<>(List.of("diff", "--no-renames"));
    words.addAll(List.of(form));
    words.addAll(List.of(range.base(), range.head(), "--"));
    if (!path.isEmpty()) {
      words.add(pathspec(path));
    }
    return git.query(words.toArray(String[]::new));
  }

  /**
   * Returns a pathspec in ASCII that matches a path, and possibly similar paths. The encoding of
   * the JVM may be unable to pass other characters to Git, and a path that is no UTF-8 was read
   * with replacement characters.
   */
  private static String pathspec(String path) {
    StringBuilder glob = new StringBuilder(":(top,glob)");
    path.codePoints()
        .forEach(
            c -> {
              if (c == 0xfffd) {
                glob.append('*');
              } else if (c > 0x7f) {
                glob.append("?".repeat(c > 0xffff ? 4 : c > 0x7ff ? 3 : 2));
              } else {
                glob.append("*?[\\".indexOf(c) < 0 ? "" : "\\").append((char) c);
              }
            });
    return glob.toString();
  }

  // ---- compared commits

  private static Range range(Git git, Session session, @Nullable String ref) {
    SessionNames names = new SessionNames(session.name());
    if (ref == null) {
      return ofBranch(git, names.branch(), "HEAD", names.base());
    }
    if (ref.matches("[0-9]{1,9}")) {
      return ofIteration(git, WorkOrigin.of(session, Integer.parseInt(ref)));
    }
    Task task = session.tasks().get(ref);
    String commit = task.commit();
    if (commit == null) {
      String head = SessionNames.head(names.branch());
      return ofBranch(git, names.branch(task.number()), head, names.base());
    }
    String head = recorded(git, commit);
    String base = head == null ? null : commit(git, head + "^");
    return base == null || head == null
        ? Range.unknown("The repository of this server lacks the commit of t" + task.number() + ".")
        : new Range(base, head, null);
  }

  private static Range ofIteration(Git git, WorkOrigin told) {
    if (told.begin() == null || told.end() == null) {
      return Range.unknown("The record of this iteration lacks its first and last commit.");
    }
    String base = recorded(git, told.begin());
    String head = recorded(git, told.end());
    if (base == null || head == null) {
      return Range.unknown("The repository of this server lacks the commits of this iteration.");
    }
    return base.equals(head)
        ? Range.unknown("This iteration made no commit.")
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
        git.query("merge-base", other, head).map(String::strip).filter(BranchReview::isCommit);
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
        .filter(BranchReview::isCommit)
        .orElse(null);
  }

  /** Returns the commit of an id in the log, or null if the id is invalid or unknown. */
  private static @Nullable String recorded(Git git, String id) {
    return isCommit(id) ? commit(git, id) : null;
  }

  private static boolean isCommit(String text) {
    return COMMIT.matcher(text).matches();
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
