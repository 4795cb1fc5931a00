package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitHead;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds branches, tags, stash entries and work trees that agents add, move or delete, except those
 * of the session. Lost commits are kept on references {@code refs/ralph-kept/SESSION/…}, which no
 * command of Ralph deletes. Not thread-safe.
 */
final class ReferenceWatch {

  /** Not below {@code refs/ralph}, where each name may be the name of a session. */
  static final String KEPT = "refs/ralph-kept/";

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String HEADS = "refs/heads/";
  private static final String TAGS = "refs/tags/";
  private static final String SESSIONS = "refs/heads/ralph/";

  /** Prefixes of references that change without losses, or that are watched elsewhere. */
  private static final List<String> NOT_WATCHED =
      List.of(
          KEPT,
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
  private record State(Map<String, Ref> refs, Map<String, String> stash, Map<String, Tree> trees) {}

  /**
   * A reference.
   *
   * @param id the id of the commit or tag
   * @param commit the commit; empty if the reference leads to no commit
   */
  private record Ref(String id, String commit) {}

  /**
   * A work tree of the user.
   *
   * @param path the path of its file {@code .git}
   * @param head the commit of a detached HEAD, or the name of a branch
   * @param isThere whether the folder exists
   * @param changed the files that are not committed
   */
  private record Tree(String path, String head, boolean isThere, List<String> changed) {}

  private final Git git;
  private final Path common;
  private final String session;
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
    this.known = state(refs);
    keepOfKilledRun();
    anchor();
  }

  /** Keeps commits deleted after a killed run, or by its last agent. */
  private void keepOfKilledRun() throws InterruptedException {
    String parents = git.run("rev-parse", "--verify", "--quiet", before() + "^@").line();
    List<String> lost = new ArrayList<>();
    for (String commit : parents.lines().filter(line -> !line.isBlank()).toList()) {
      if (!commits(known).contains(commit) && !isOnABranch(commit)) {
        lost.add(keep("lost/" + commit, commit));
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

  private State state(Collection<String> references) throws InterruptedException {
    Map<String, Ref> refs = new TreeMap<>();
    for (String line : references) {
      String[] fields = line.split(" ");
      if (fields.length >= 3 && isWatched(fields[2])) {
        boolean isCommit = fields[1].equals("commit");
        boolean isTag = fields.length == 5 && fields[4].equals("commit");
        refs.put(fields[2], new Ref(fields[0], isCommit ? fields[0] : isTag ? fields[3] : ""));
      }
    }
    return new State(refs, stash(), trees());
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

  private Map<String, Tree> trees() throws InterruptedException {
    Map<String, Tree> trees = new TreeMap<>();
    Path folder = common.resolve("worktrees");
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path each : all.toList()) {
          String path = text(each.resolve("gitdir")).strip();
          if (!path.isEmpty() && !isOwn(Path.of(path))) {
            String head = text(each.resolve("HEAD")).strip();
            boolean isThere = Files.exists(Path.of(path));
            List<String> changed = isThere ? changed(Path.of(path)) : List.of();
            trees.put(String.valueOf(each.getFileName()), new Tree(path, head, isThere, changed));
          }
        }
      } catch (IOException e) {
        throw GitTrees.failed("can't list " + folder, e);
      }
    }
    return trees;
  }

  /** Returns the names of the uncommitted files of a work tree; empty if git can't list them. */
  private static List<String> changed(Path file) throws InterruptedException {
    Path root = file.getParent();
    if (root == null) {
      return List.of();
    }
    String[] status = {"--no-optional-locks", "status", "--porcelain"};
    CommandResult answer = Git.alone(root, PATIENCE).run(status);
    return answer.isGood()
        ? answer
            .output()
            .lines()
            .filter(line -> line.length() > 3)
            .map(l -> l.substring(3))
            .toList()
        : List.of();
  }

  private static boolean isOwn(Path file) {
    Path root = file.getParent();
    Path place = root == null ? null : root.getParent();
    return place != null && place.endsWith(SessionNames.PLACE);
  }

  /** Returns the text of a file; empty if it does not exist. */
  private static String text(Path file) {
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
   * @return a sentence for each kind of change, with names
   */
  List<String> compare(Collection<String> references) throws InterruptedException {
    State before = known;
    State now = state(references);
    List<String> notices = new ArrayList<>(pending);
    pending.clear();
    if (!before.refs().equals(now.refs())) {
      compareReferences(before.refs(), now.refs(), notices);
    }
    compareStash(before.stash(), now.stash(), notices);
    compareTrees(before.trees(), now.trees(), notices);
    known = now;
    anchor();
    return notices;
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
        deleted.add(shortName(ref) + keepIfLost(ref, old));
      } else if (!old.equals(current)) {
        if (!isForward(old, current)) {
          moved.add(shortName(ref) + keepIfLost(ref, old));
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

  private static void add(List<String> notices, String before, List<String> names, String after) {
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

  /** Returns a note about the reference that keeps lost commits; empty if no commits are lost. */
  private String keepIfLost(String ref, Ref old) throws InterruptedException {
    boolean isTag = !old.id().equals(old.commit());
    return !isTag && isOnABranch(old.commit())
        ? ""
        : " (kept as " + keep(ref.replaceFirst("^refs/", ""), existing(old)) + ")";
  }

  /** Returns the id of a tag, or of its commit if the tag object no longer exists. */
  private String existing(Ref old) throws InterruptedException {
    boolean isThere = git.run("cat-file", "-e", old.id()).isGood();
    return isThere || old.commit().isEmpty() ? old.id() : old.commit();
  }

  /** Returns whether a branch or tag contains a commit, ignoring the branches of sessions. */
  private boolean isOnABranch(String commit) throws InterruptedException {
    String[] list = {
      "for-each-ref", "--format=%(refname)", "--contains", commit, HEADS, TAGS, "refs/remotes"
    };
    return git.run(list).output().lines().anyMatch(ref -> !ref.startsWith(SESSIONS));
  }

  private String keep(String name, String id) throws InterruptedException {
    String kept = KEPT + session + "/" + name;
    String free = kept;
    for (int i = 2; GitTrees.has(git, free) && !is(free, id); i++) {
      free = kept + "-" + i;
    }
    update(free, id);
    return free;
  }

  private boolean is(String ref, String id) throws InterruptedException {
    return git.run("rev-parse", "--verify", "--quiet", ref).line().equals(id);
  }

  private void update(String... arguments) throws InterruptedException {
    List<String> all = new ArrayList<>(List.of("update-ref", "-m", "ralph"));
    all.addAll(List.of(arguments));
    GitTrees.require("git update-ref", GitTrees.patient(git, all.toArray(new String[0])));
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
        String kept = keep("stash/" + each.getKey(), each.getKey());
        dropped.add(each.getValue() + " (kept as " + kept + ")");
      }
    }
    add(notices, "entries of the stash were added while an agent worked: ", added, "");
    add(
        notices,
        "entries of the stash were removed while an agent worked: ",
        dropped,
        "; to restore one: git stash store REFERENCE");
  }

  private void compareTrees(Map<String, Tree> before, Map<String, Tree> now, List<String> notices)
      throws InterruptedException {
    List<String> added = new ArrayList<>();
    for (Map.Entry<String, Tree> each : now.entrySet()) {
      Tree old = before.get(each.getKey());
      if (old == null || !old.path().equals(each.getValue().path())) {
        added.add(root(each.getValue()));
      }
    }
    List<String> removed = new ArrayList<>();
    for (Map.Entry<String, Tree> each : before.entrySet()) {
      Tree old = each.getValue();
      Tree current = now.get(each.getKey());
      boolean isGone = current != null && old.isThere() && !current.isThere();
      if (current == null || isGone || !old.path().equals(current.path())) {
        boolean isDetached = GitHead.isId(old.head());
        removed.add(
            root(old)
                + (old.changed().isEmpty()
                    ? ""
                    : " with uncommitted files (" + TreeChanges.some(old.changed()) + ")")
                + (isDetached
                    ? keepIfLost("worktrees/" + each.getKey(), new Ref(old.head(), old.head()))
                    : ""));
      }
    }
    add(notices, "work trees were added while an agent worked: ", added, "");
    add(notices, "work trees were removed while an agent worked: ", removed, "");
  }

  private static String root(Tree tree) {
    return tree.path().replaceFirst("/\\.git$", "");
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
    update(before(), GitTrees.require("git hash-object", written).line());
    anchored = commits;
  }

  private static Set<String> commits(State state) {
    Set<String> commits = new LinkedHashSet<>(state.stash().keySet());
    state.refs().values().forEach(ref -> commits.add(ref.commit()));
    for (Tree tree : state.trees().values()) {
      commits.add(GitHead.isId(tree.head()) ? tree.head() : "");
    }
    commits.remove("");
    return commits;
  }

  private String before() {
    return KEPT + session + "/before";
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
