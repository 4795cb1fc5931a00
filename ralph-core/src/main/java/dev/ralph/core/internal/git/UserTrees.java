package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.GitHead;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The work trees of the user, without the main checkout, and those of a session. Work trees of
 * other sessions and of the merge queue are excluded. Not thread-safe.
 */
final class UserTrees {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * A work tree.
   *
   * @param path the path of its file {@code .git}
   * @param head the commit of a detached HEAD, or the name of a branch
   * @param isThere whether the folder exists; for a work tree of the session, also has files
   * @param changed the files that are not committed
   * @param isOwn whether the work tree belongs to the session; Ralph may add and move it
   */
  record Tree(String path, String head, boolean isThere, List<String> changed, boolean isOwn) {

    /** Returns the commit of the user's detached HEAD; empty if a branch is checked out. */
    String detached() {
      return !isOwn && GitHead.isId(head) ? head : "";
    }

    private String root() {
      return path.replaceFirst("/\\.git$", "");
    }

    /** Returns the folder with its uncommitted files, if there are any. */
    private String named() {
      return root()
          + (changed.isEmpty()
              ? ""
              : " with uncommitted files (" + TreeChanges.some(changed) + ")");
    }
  }

  /**
   * The changes of a work tree as of the last listing.
   *
   * @param stamp the state of HEAD, the index and the top folder
   */
  private record Listing(String stamp, List<String> changed) {}

  private final Path common;
  private final SessionNames names;
  private final KeptCommits kept;
  private final Map<Path, Listing> listings = new HashMap<>();

  UserTrees(Path common, SessionNames names, KeptCommits kept) {
    this.common = common;
    this.names = names;
    this.kept = kept;
  }

  /**
   * Returns the work trees by the name of their folder in {@code .git/worktrees}.
   *
   * @param ended the top folder of a work tree whose changes are not listed again, because they are
   *     committed next; null for none
   */
  Map<String, Tree> read(@Nullable Path ended) throws InterruptedException {
    Path skipped = ended == null ? null : file(ended);
    Map<String, Tree> trees = new TreeMap<>();
    for (Map.Entry<Path, String> linked : GitTrees.linked(common).entrySet()) {
      Path folder = linked.getKey();
      String path = linked.getValue();
      Path file = GitTrees.path(path);
      boolean isOwn = file != null && isOwn(file);
      if (file != null && (isOwn || !isOfRalph(file))) {
        String head = ReferenceWatch.text(folder.resolve("HEAD")).strip();
        boolean isThere = Files.exists(file) && !(isOwn && isEmptied(file));
        List<String> changed =
            isThere ? changed(file, folder, head, file.equals(skipped)) : List.of();
        trees.put(
            String.valueOf(folder.getFileName()), new Tree(path, head, isThere, changed, isOwn));
      }
    }
    return trees;
  }

  /** Returns the path of the file {@code .git} as git records it. */
  private static Path file(Path root) {
    return DeletedTree.registeredPath(root).resolve(".git");
  }

  private static boolean isOfRalph(Path file) {
    Path root = file.getParent();
    Path place = root == null ? null : root.getParent();
    return place != null && place.endsWith(SessionNames.PLACE);
  }

  private boolean isOwn(Path file) {
    Path root = file.getParent();
    String folder = root == null ? "" : String.valueOf(root.getFileName());
    boolean isNamed =
        folder.equals(names.session()) || names.isFolder(folder) || names.isAside(folder);
    return isNamed && isOfRalph(file);
  }

  /** Returns whether a work tree has only files whose names begin with a dot. */
  private static boolean isEmptied(Path file) {
    try (Stream<Path> all = Files.list(file.resolveSibling("."))) {
      return all.allMatch(each -> String.valueOf(each.getFileName()).startsWith("."));
    } catch (IOException deleted) {
      return true;
    }
  }

  /**
   * Returns the uncommitted files of a work tree; empty if git can't list them. Lists the files
   * again only if HEAD, the index or the top folder has changed, because a listing of a large tree
   * takes seconds. So later edits of other files may be missing.
   */
  private List<String> changed(Path file, Path own, String head, boolean isSkipped)
      throws InterruptedException {
    Path root = file.getParent();
    if (root == null) {
      return List.of();
    }
    Listing last = listings.get(root);
    if (isSkipped) {
      return last == null ? List.of() : last.changed();
    }
    String stamp = stamp(root, own, head);
    if (last == null || !last.stamp().equals(stamp)) {
      last = new Listing(stamp, list(root));
      listings.put(root, last);
    }
    return last.changed();
  }

  /**
   * Records that all changes of a work tree are committed. The files are listed again after the
   * next change of HEAD, the index or the top folder.
   *
   * @param trees the last result of {@link #read}; updated
   */
  void committed(Path root, Map<String, Tree> trees) {
    Path real = DeletedTree.registeredPath(root);
    for (Map.Entry<String, Tree> each : trees.entrySet()) {
      Tree tree = each.getValue();
      if (Path.of(tree.path()).equals(file(real))) {
        Path own = common.resolve("worktrees").resolve(each.getKey());
        String head = ReferenceWatch.text(own.resolve("HEAD")).strip();
        listings.put(real, new Listing(stamp(real, own, head), List.of()));
        each.setValue(new Tree(tree.path(), head, tree.isThere(), List.of(), tree.isOwn()));
      }
    }
  }

  private List<String> list(Path root) throws InterruptedException {
    try {
      Git there = Git.alone(root, PATIENCE);
      IgnoreRules rules = IgnoreRules.of(there, common, "HEAD");
      return List.copyOf(new TreeChanges(there, root, rules).all());
    } catch (RalphException damaged) {
      return List.of();
    }
  }

  private static String stamp(Path root, Path own, String head) {
    return head + " " + stamp(own.resolve("index")) + " " + stamp(root);
  }

  private static String stamp(Path file) {
    try {
      return Files.getLastModifiedTime(file) + "/" + Files.size(file);
    } catch (IOException missing) {
      return "";
    }
  }

  /** Adds a sentence for each kind of change, and keeps the commits of removed trees. */
  void compare(Map<String, Tree> before, Map<String, Tree> now, List<String> notices)
      throws InterruptedException {
    List<String> added = new ArrayList<>();
    for (Map.Entry<String, Tree> each : now.entrySet()) {
      Tree old = before.get(each.getKey());
      boolean isNew = old == null || !old.path().equals(each.getValue().path());
      if (isNew && !each.getValue().isOwn()) {
        added.add(each.getValue().root());
      }
    }
    List<String> removed = new ArrayList<>();
    List<String> deleted = new ArrayList<>();
    for (Map.Entry<String, Tree> each : before.entrySet()) {
      Tree old = each.getValue();
      Tree current = now.get(each.getKey());
      boolean isGone = current != null && old.isThere() && !current.isThere();
      if (!old.isOwn()) {
        if (current == null || isGone || !old.path().equals(current.path())) {
          removed.add(removed(each.getKey(), old));
        }
      } else if (isLost(old, current)) {
        deleted.add(old.named());
      }
    }
    ReferenceWatch.add(notices, "work trees were added while an agent worked: ", added, "");
    ReferenceWatch.add(notices, "work trees were removed while an agent worked: ", removed, "");
    ReferenceWatch.add(
        notices, "folders of agents were deleted or emptied while an agent worked: ", deleted, "");
  }

  /**
   * Returns whether a folder of the session was deleted, or was emptied with uncommitted files. An
   * agent without uncommitted files may check out a commit that has only hidden files.
   */
  private static boolean isLost(Tree old, @Nullable Tree current) {
    boolean isDeleted = !Files.exists(Path.of((current == null ? old : current).path()));
    boolean isEmptied = current != null && !current.isThere() && !old.changed().isEmpty();
    return old.isThere() && (isDeleted || isEmptied);
  }

  private String removed(String name, Tree old) throws InterruptedException {
    String commit = old.detached();
    return old.named()
        + (commit.isEmpty() ? "" : kept.noteIfLost("worktrees/" + name, commit, commit));
  }
}
