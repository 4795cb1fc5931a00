package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tracked files of a work tree whose content a checkout would not restore, because a filter
 * dropped a part of it. Filters that the user set before the run are trusted. An agent may set a
 * filter in the configuration, or for a single command of git.
 */
final class FilteredFiles {

  /** The file in the repository's Git folder with the names of filters that agents changed. */
  private static final String CHANGED = "ralph/agent-filters";

  private static final String ATTRIBUTE = "filter";
  private static final Set<String> NO_FILTER = Set.of("unspecified", "unset", "set");

  /**
   * The maximum length of the list of paths in characters; the runner may truncate a longer list.
   */
  private static final int MOST_PATHS = 4_000_000;

  private final Git git;
  private final Path root;

  /**
   * Creates a view without reading anything.
   *
   * @param git in the work tree
   * @param root the top folder of the work tree
   */
  FilteredFiles(Git git, Path root) {
    this.git = git;
    this.root = root;
  }

  /** Records that an agent changed filters; names already recorded are kept. */
  static void changedByAgent(Path common, Collection<String> names) {
    Path file = common.resolve(CHANGED);
    Set<String> all = changedByAgents(common);
    if (all.addAll(names)) {
      try {
        Files.createDirectories(file.getParent());
        Files.write(file, all, StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw GitTrees.failed("can't write " + file, e);
      }
    }
  }

  private static Set<String> changedByAgents(Path common) {
    Set<String> names = new TreeSet<>();
    ReferenceWatch.text(common.resolve(CHANGED)).lines().forEach(names::add);
    return names;
  }

  /**
   * Returns the files whose index entry lacks content, with the name of the filter. The index must
   * contain the changes of the files.
   *
   * @param attributes the paths of the attribute files in the work tree; no process runs if neither
   *     they nor the repository's attributes name a filter
   */
  Map<String, String> lossy(Collection<String> attributes) throws InterruptedException {
    Path common = common();
    if (common == null || !hasFilters(common, attributes)) {
      return Map.of();
    }
    Map<String, String> filtered = filtered();
    Set<String> trusted = configured();
    trusted.removeAll(changedByAgents(common));
    filtered.values().removeAll(trusted);
    if (!filtered.isEmpty()) {
      filtered.keySet().retainAll(different(filtered.keySet()));
    }
    return filtered;
  }

  /** Returns the names of the configured filters. */
  Set<String> configured() throws InterruptedException {
    Set<String> names = new HashSet<>();
    CommandResult set =
        git.run("config", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|process)$");
    for (String key : set.isGood() ? set.output().split("\0") : new String[0]) {
      names.add(name(key));
    }
    return names;
  }

  /** Returns the name of a filter from the key of a setting. */
  static String name(String key) {
    int end = key.lastIndexOf('.');
    int begin = key.indexOf('.') + 1;
    return begin < end ? key.substring(begin, end) : "";
  }

  /** Returns the Git folder of the repository; null if the folder is no linked work tree. */
  private @Nullable Path common() {
    Path own = ProvidedFiles.folder(root);
    Path trees = own == null ? null : own.getParent();
    return trees == null ? null : trees.getParent();
  }

  private boolean hasFilters(Path common, Collection<String> attributes) {
    boolean found = ReferenceWatch.text(common.resolve("info/attributes")).contains(ATTRIBUTE);
    for (String path : attributes) {
      found |= ReferenceWatch.text(TreeChanges.path(root, path)).contains(ATTRIBUTE);
    }
    return found;
  }

  private Map<String, String> filtered() throws InterruptedException {
    CommandResult tracked = git.run("-C", root.toString(), "ls-files", "-z");
    if (!tracked.isGood() || tracked.output().length() > MOST_PATHS) {
      return new TreeMap<>();
    }
    String[] ask = {"-C", root.toString(), "check-attr", "-z", "--stdin", ATTRIBUTE};
    CommandResult answer = GitTrees.require("git check-attr", git.runWith(tracked.output(), ask));
    String[] fields = answer.output().split("\0");
    Map<String, String> filtered = new TreeMap<>();
    for (int i = 0; i + 2 < fields.length; i += 3) {
      if (!NO_FILTER.contains(fields[i + 2])) {
        filtered.put(fields[i], fields[i + 2]);
      }
    }
    return filtered;
  }

  /** Returns the files that differ from a checkout of their index entries. */
  private Set<String> different(Set<String> paths) throws InterruptedException {
    Path folder = null;
    try {
      folder = Files.createTempDirectory("ralph-filtered");
      String input = String.join("\0", paths) + "\0";
      String prefix = "--prefix=" + folder + "/";
      String[] checkOut = {"-C", root.toString(), "checkout-index", "-z", "--stdin", prefix};
      CommandResult unused = git.runWith(input, checkOut); // fails for unmerged files
      Set<String> different = new HashSet<>();
      for (String path : paths) {
        if (isDifferent(root.resolve(path), folder.resolve(path))) {
          different.add(path);
        }
      }
      return different;
    } catch (IOException | InvalidPathException e) {
      return paths; // can't be compared
    } finally {
      if (folder != null) {
        GitTrees.delete(folder);
      }
    }
  }

  private static boolean isDifferent(Path file, Path copy) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false; // deleted, or a link without a filter
    }
    return !Files.isRegularFile(copy, LinkOption.NOFOLLOW_LINKS) || Files.mismatch(file, copy) >= 0;
  }

  /**
   * Makes git read files again, whose index entry seems to be unchanged.
   *
   * @return the paths that exist
   */
  List<String> touch(Collection<String> paths) {
    List<String> touched = new ArrayList<>();
    for (String path : paths) {
      Path file = GitTrees.path(path); // null if this locale can't encode the name
      if (file != null && root.resolve(file).toFile().setLastModified(System.currentTimeMillis())) {
        touched.add(path);
      }
    }
    return touched;
  }
}
