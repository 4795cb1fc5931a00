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

/** The work trees of the user, without the main checkout and those of Ralph. Not thread-safe. */
final class UserTrees {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * A work tree.
   *
   * @param path the path of its file {@code .git}
   * @param head the commit of a detached HEAD, or the name of a branch
   * @param isThere whether the folder exists
   * @param changed the files that are not committed
   */
  record Tree(String path, String head, boolean isThere, List<String> changed) {

    /** Returns the commit of a detached HEAD; empty if a branch is checked out. */
    String detached() {
      return GitHead.isId(head) ? head : "";
    }

    private String root() {
      return path.replaceFirst("/\\.git$", "");
    }
  }

  /**
   * The changes of a work tree as of the last listing.
   *
   * @param stamp the state of HEAD, the index and the top folder
   */
  private record Listing(String stamp, List<String> changed) {}

  private final Path common;
  private final KeptCommits kept;
  private final Map<Path, Listing> listings = new HashMap<>();

  UserTrees(Path common, KeptCommits kept) {
    this.common = common;
    this.kept = kept;
  }

  /** Returns the work trees by the name of their folder in {@code .git/worktrees}. */
  Map<String, Tree> read() throws InterruptedException {
    Map<String, Tree> trees = new TreeMap<>();
    Path folder = common.resolve("worktrees");
    if (Files.isDirectory(folder)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path each : all.toList()) {
          String path = ReferenceWatch.text(each.resolve("gitdir")).strip();
          if (!path.isEmpty() && !isOwn(Path.of(path))) {
            String head = ReferenceWatch.text(each.resolve("HEAD")).strip();
            boolean isThere = Files.exists(Path.of(path));
            List<String> changed = isThere ? changed(Path.of(path), each, head) : List.of();
            trees.put(String.valueOf(each.getFileName()), new Tree(path, head, isThere, changed));
          }
        }
      } catch (IOException e) {
        throw GitTrees.failed("can't list " + folder, e);
      }
    }
    return trees;
  }

  private static boolean isOwn(Path file) {
    Path root = file.getParent();
    Path place = root == null ? null : root.getParent();
    return place != null && place.endsWith(SessionNames.PLACE);
  }

  /**
   * Returns the uncommitted files of a work tree; empty if git can't list them. Lists the files
   * again only if HEAD, the index or the top folder has changed, because a listing of a large tree
   * takes seconds. So later edits of other files may be missing.
   */
  private List<String> changed(Path file, Path own, String head) throws InterruptedException {
    Path root = file.getParent();
    if (root == null) {
      return List.of();
    }
    String stamp = head + " " + stamp(own.resolve("index")) + " " + stamp(root);
    Listing last = listings.get(root);
    if (last == null || !last.stamp().equals(stamp)) {
      last = new Listing(stamp, list(root));
      listings.put(root, last);
    }
    return last.changed();
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
      if (old == null || !old.path().equals(each.getValue().path())) {
        added.add(each.getValue().root());
      }
    }
    List<String> removed = new ArrayList<>();
    for (Map.Entry<String, Tree> each : before.entrySet()) {
      Tree old = each.getValue();
      Tree current = now.get(each.getKey());
      boolean isGone = current != null && old.isThere() && !current.isThere();
      if (current == null || isGone || !old.path().equals(current.path())) {
        removed.add(removed(each.getKey(), old));
      }
    }
    ReferenceWatch.add(notices, "work trees were added while an agent worked: ", added, "");
    ReferenceWatch.add(notices, "work trees were removed while an agent worked: ", removed, "");
  }

  private String removed(String name, Tree old) throws InterruptedException {
    String files =
        old.changed().isEmpty()
            ? ""
            : " with uncommitted files (" + TreeChanges.some(old.changed()) + ")";
    String commit = old.detached();
    return old.root()
        + files
        + (commit.isEmpty() ? "" : kept.noteIfLost("worktrees/" + name, commit, commit));
  }
}
