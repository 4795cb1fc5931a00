package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds branches, tags, stash entries and work trees that agents add, move or delete, except the
 * branches of the session. Of the session's own work trees only deletions are reported. Lost
 * commits are kept on references {@code refs/ralph-kept/SESSION/…}, which no command of Ralph
 * deletes. Not thread-safe.
 */
final class ReferenceWatch {

  private static final String HEADS = "refs/heads/";
  private static final String TAGS = "refs/tags/";
  private static final String SESSIONS = "refs/heads/ralph/";

  /** Prefixes of references that change without losses, or that are watched elsewhere. */
  private static final List<String> NOT_WATCHED =
      List.of(
          KeptCommits.PLACE,
          "refs/ralph/",
          "refs/bisect/",
          "refs/prefetch/",
          "refs/remotes/",
          "refs/replace/",
          "refs/rewritten/",
          "refs/stash",
          "refs/worktree/");

  /** The ids of the empty tree, which exists in each repository. */
  private static final String EMPTY_SHA1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

  private static final String EMPTY_SHA256 =
      "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

  /**
   * The state of a repository.
   *
   * @param refs commits or tags by reference
   * @param stash labels of the stash entries by commit
   * @param trees work trees by the name of their folder in {@code .git/worktrees}
   */
  private record State(
      Map<String, Ref> refs, Map<String, String> stash, Map<String, UserTrees.Tree> trees) {}

  /**
   * A reference.
   *
   * @param id the id of the commit or tag
   * @param commit the commit; empty if the reference leads to no commit
   */
  private record Ref(String id, String commit) {}

  private final Git git;
  private final Path common;
  private final String session;
  private final KeptCommits kept;
  private final UserTrees trees;
  private final List<String> pending = new ArrayList<>();
  private State known;

  /** The commits that the anchor protects from garbage collection. */
  private Set<String> anchored = Set.of();

  /**
   * Reads the state of a repository.
   *
   * @param git runs with the repository's Git folder as {@code GIT_DIR}
   * @param refs as {@link #references} lists them
   */
  ReferenceWatch(Git git, Path common, String session, Collection<String> refs)
      throws InterruptedException {
    this.git = git.withoutHooks();
    this.common = common;
    this.session = session;
    this.kept = new KeptCommits(this.git, session);
    this.trees = new UserTrees(common, new SessionNames(session), kept);
    this.known = state(refs, null);
    keepOfKilledRun();
    anchor();
  }

  /** Keeps commits deleted after a killed run, or by its last agent. */
  private void keepOfKilledRun() throws InterruptedException {
    String parents = git.run("rev-parse", "--verify", "--quiet", before() + "^@").line();
    List<String> lost = new ArrayList<>();
    for (String commit : parents.lines().filter(line -> !line.isBlank()).toList()) {
      if (!commits(known).contains(commit) && !kept.isOnABranch(commit)) {
        lost.add(kept.keep("lost/" + commit, commit));
      }
    }
    add(pending, "commits were deleted after the last run was killed; kept as: ", lost, "");
  }

  /**
   * Returns a line per reference: the id and type of the object, the name, and the id and type of a
   * tag's object.
   */
  static List<String> references(Git git) throws InterruptedException {
    String form = "--format=%(objectname) %(objecttype) %(refname) %(*objectname) %(*objecttype)";
    CommandResult refs = GitTrees.require("git for-each-ref", git.run("for-each-ref", form));
    return refs.output().lines().toList();
  }

  private State state(Collection<String> references, @Nullable Path ended)
      throws InterruptedException {
    Map<String, Ref> refs = new TreeMap<>();
    for (String line : references) {
      String[] fields = line.split(" ");
      if (fields.length >= 3 && isWatched(fields[2])) {
        boolean isCommit = fields[1].equals("commit");
        boolean isTag = fields.length == 5 && fields[4].equals("commit");
        refs.put(fields[2], new Ref(fields[0], isCommit ? fields[0] : isTag ? fields[3] : ""));
      }
    }
    return new State(refs, stash(), trees.read(ended));
  }

  private boolean isWatched(String ref) {
    if (ref.startsWith(SESSIONS)) {
      String name = ref.substring(SESSIONS.length());
      return !name.contains(".") && !name.equals(session) && !name.startsWith(session + "-");
    }
    return NOT_WATCHED.stream().noneMatch(ref::startsWith);
  }

  private Map<String, String> stash() {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String line : text(common.resolve("logs/refs/stash")).lines().toList()) {
      String[] parts = line.split("\t", 2);
      String[] ids = parts[0].split(" ", 3);
      if (parts.length == 2 && ids.length == 3) {
        entries.put(ids[1], parts[1]);
      }
    }
    return entries;
  }

  /** Returns the text of a file; empty if it does not exist. */
  static String text(Path file) {
    try {
      return Files.isRegularFile(file)
          ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
          : "";
    } catch (IOException e) {
      return ""; // the file was deleted meanwhile
    }
  }

  /**
   * Finds the changes since the last call, and keeps lost commits.
   *
   * @param references the present result of {@link #references}
   * @param ended the top folder of a work tree whose changes are committed next, and not listed;
   *     null for none
   * @return a sentence for each kind of change, with names
   */
  List<String> compare(Collection<String> references, @Nullable Path ended)
      throws InterruptedException {
    State before = known;
    State now = state(references, ended);
    List<String> notices = new ArrayList<>(pending);
    pending.clear();
    if (!before.refs().equals(now.refs())) {
      compareReferences(before.refs(), now.refs(), notices);
    }
    compareStash(before.stash(), now.stash(), notices);
    trees.compare(before.trees(), now.trees(), notices);
    known = now;
    anchor();
    return notices;
  }

  /** Records that all changes of a work tree of the session are committed. */
  void committed(Path root) {
    trees.committed(root, known.trees());
  }

  private void compareReferences(
      Map<String, Ref> before, Map<String, Ref> now, List<String> notices)
      throws InterruptedException {
    String checkedOut = text(common.resolve("HEAD")).strip();
    List<String> added = new ArrayList<>();
    List<String> moved = new ArrayList<>();
    List<String> deleted = new ArrayList<>();
    Set<String> names = new TreeSet<>(before.keySet());
    names.addAll(now.keySet());
    for (String ref : names) {
      Ref old = before.get(ref);
      Ref current = now.get(ref);
      boolean isOthers = ref.startsWith(SESSIONS);
      boolean mayMove = isOthers || checkedOut.equals("ref: " + ref);
      if (old == null) {
        if (!isOthers) {
          added.add(shortName(ref));
        }
      } else if (current == null) {
        deleted.add(shortName(ref) + kept.noteIfLost(ref, old.id(), old.commit()));
      } else if (!old.equals(current)) {
        if (!isForward(old, current)) {
          moved.add(shortName(ref) + kept.noteIfLost(ref, old.id(), old.commit()));
        } else if (!mayMove) {
          moved.add(shortName(ref));
        }
      }
    }
    add(notices, "branches or tags were added while an agent worked: ", added, "");
    add(notices, "branches or tags were moved while an agent worked: ", moved, "");
    add(
        notices,
        "branches or tags were deleted while an agent worked: ",
        deleted,
        "; to restore one: git branch NAME REFERENCE, or git tag");
  }

  static void add(List<String> notices, String before, List<String> names, String after) {
    if (!names.isEmpty()) {
      notices.add(before + TreeChanges.some(names) + after);
    }
  }

  private static String shortName(String ref) {
    return ref.startsWith(HEADS)
        ? ref.substring(HEADS.length())
        : ref.startsWith(TAGS) ? "tag " + ref.substring(TAGS.length()) : ref;
  }

  private boolean isForward(Ref old, Ref current) throws InterruptedException {
    return !old.commit().isEmpty()
        && !current.commit().isEmpty()
        && old.id().equals(old.commit())
        && GitTrees.isWithin(git, old.commit(), current.commit());
  }

  private void compareStash(
      Map<String, String> before, Map<String, String> now, List<String> notices)
      throws InterruptedException {
    List<String> added = new ArrayList<>();
    for (Map.Entry<String, String> each : now.entrySet()) {
      if (!before.containsKey(each.getKey())) {
        added.add(each.getValue());
      }
    }
    String own = "(?s)(WIP on|On) ralph/" + session + "[.:].*"; // agents may drop their own
    List<String> dropped = new ArrayList<>();
    for (Map.Entry<String, String> each : before.entrySet()) {
      if (!now.containsKey(each.getKey()) && !each.getValue().matches(own)) {
        String reference = kept.keep("stash/" + each.getKey(), each.getKey());
        dropped.add(each.getValue() + " (kept as " + reference + ")");
      }
    }
    add(notices, "entries of the stash were added while an agent worked: ", added, "");
    add(
        notices,
        "entries of the stash were removed while an agent worked: ",
        dropped,
        "; to restore one: git stash store REFERENCE");
  }

  /**
   * Protects all commits of the user from garbage collection, by a reference to a commit with these
   * commits as its parents.
   */
  private void anchor() throws InterruptedException {
    Set<String> commits = commits(known);
    if (commits.equals(anchored) || commits.size() < 2 && anchored.isEmpty()) {
      return; // only the commit of the session's branch
    }
    StringBuilder text = new StringBuilder("tree ");
    boolean isLong = commits.stream().anyMatch(id -> id.length() > EMPTY_SHA1.length());
    text.append(isLong ? EMPTY_SHA256 : EMPTY_SHA1).append('\n');
    commits.forEach(id -> text.append("parent ").append(id).append('\n'));
    text.append("author Ralph <ralph@localhost> 0 +0000\n");
    text.append("committer Ralph <ralph@localhost> 0 +0000\n\n");
    text.append("Keep the user's commits while agents work\n");
    String[] write = {"hash-object", "-t", "commit", "-w", "--stdin"};
    CommandResult written = GitTrees.patientWith(text.toString(), git, write);
    kept.update(before(), GitTrees.require("git hash-object", written).line());
    anchored = commits;
  }

  private static Set<String> commits(State state) {
    Set<String> commits = new LinkedHashSet<>(state.stash().keySet());
    state.refs().values().forEach(ref -> commits.add(ref.commit()));
    state.trees().values().forEach(tree -> commits.add(tree.detached()));
    commits.remove("");
    return commits;
  }

  private String before() {
    return kept.place() + "before";
  }

  /** Ends the protection of the commits, when no agent runs. */
  void end() throws InterruptedException {
    if (!anchored.isEmpty()) {
      // The next run replaces a reference that could not be deleted.
      git.run("update-ref", "-d", before());
      anchored = Set.of();
    }
  }
}
