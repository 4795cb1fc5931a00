package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.log.RalphException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a work tree since its commit. The state of the index, the configuration and the
 * ignore rules of agents cannot hide changes. Unchanged {@linkplain ProvidedFiles provided files}
 * are no changes. Paths are relative to the top of the tree. Not thread-safe.
 *
 * <p>Git prints and reads a path with non-ASCII characters in quotes, so names with malformed UTF-8
 * are preserved. {@link #plain} decodes a path for people.
 */
public final class TreeChanges {

  private static final String TOP = ":/";

  private static final String ATTRIBUTES = ".gitattributes";

  /** The beginning of git's warning about a folder without permission to list its files. */
  private static final String UNREADABLE = "warning: could not open directory '";

  private static final int MOST_NAMED = 10;

  private final Git git;
  private final Path root;
  private final IgnoreRules rules;

  /**
   * Creates a view without reading anything.
   *
   * @param git in the tree
   * @param root top folder of the tree
   * @param rules the rules that select the untracked files
   */
  public TreeChanges(Git git, Path root, IgnoreRules rules) {
    this.git = git;
    this.root = root;
    this.rules = rules;
  }

  /**
   * Paths of a work tree.
   *
   * @param assumed index entries whose changes git ignores by {@code assume-unchanged}
   * @param skipped index entries whose changes git ignores by {@code skip-worktree}
   * @param untracked untracked files
   * @param provided untracked files that are unchanged provided files
   * @param attributes attribute files, tracked or not
   * @param unreadable folders that git cannot list, with a trailing slash
   */
  private record Entries(
      List<String> assumed,
      List<String> skipped,
      List<String> untracked,
      List<String> provided,
      List<String> attributes,
      List<String> unreadable) {

    Entries() {
      this(
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
    }

    boolean isHiding() {
      return !assumed.isEmpty() || !skipped.isEmpty();
    }
  }

  /**
   * Returns the untracked files that the rules do not ignore, quoted. A nested repository is one
   * path with a trailing slash.
   */
  public List<String> untracked() throws InterruptedException {
    return entries("--others").untracked();
  }

  /** Returns the untracked files as {@link #untracked}, and the provided files. */
  List<String> untrackedAndProvided() throws InterruptedException {
    return entries(Set.of(), "--others").untracked();
  }

  /**
   * Clears the index bits that hide changes, except those of a sparse checkout. Only for a work
   * tree of Ralph.
   *
   * @return the untracked files, as {@link #untracked}, and the tracked files whose content a
   *     filter of an agent dropped
   */
  public List<String> reveal() throws InterruptedException {
    Entries entries = entries("--cached", "--others");
    clear(git, entries);
    List<String> found = new ArrayList<>(entries.untracked());
    found.addAll(new FilteredFiles(git, root).lossy(entries.attributes()).keySet());
    return found;
  }

  /**
   * Returns the changed and untracked files, quoted, and the folders that git cannot list. Changes
   * neither the index nor files.
   */
  public Set<String> all() throws InterruptedException {
    Entries entries = entries("--cached", "--others");
    Set<String> all = new TreeSet<>(entries.untracked());
    all.addAll(entries.unreadable());
    all.addAll(new FilteredFiles(git, root).lossy(entries.attributes()).keySet());
    Set<String> provided = Set.copyOf(entries.provided());
    Consumer<String> add =
        line -> {
          String path = withoutNeedlessQuotes(line.substring(3));
          boolean isNoWork = provided.contains(path) || plain(path).startsWith(".ralph/");
          if (!line.startsWith("?? ") || !isNoWork) {
            all.add(path);
          }
        };
    String[] status = {
      "--no-optional-locks",
      "-c",
      "core.quotePath=true",
      "status",
      "--porcelain",
      "--",
      TOP,
      GitTrees.NO_STORE,
      GitTrees.NO_WORKTREES,
      GitTrees.NO_HOSTED
    };
    if (entries.isHiding()) {
      withCopiedIndex(
          copy -> {
            clear(copy, entries);
            require("status", copy.lines(add, status));
          });
    } else {
      require("status", git.lines(add, status));
    }
    return all;
  }

  /** Removes the quotes that only {@code git status} adds to a path with spaces. */
  private static String withoutNeedlessQuotes(String path) {
    return path.startsWith("\"") && path.indexOf('\\') < 0
        ? path.substring(1, path.length() - 1)
        : path;
  }

  /**
   * Returns the folders and files that the rules ignore, quoted. Folders have a trailing slash.
   * Also returns the unchanged provided files, and untracked files below {@code .ralph}, which are
   * no work.
   */
  public List<String> ignored() throws InterruptedException {
    List<String> found = new ArrayList<>();
    CommandResult unused = list(found::add, "--others", "--ignored", "--directory");
    Set<String> provided = ProvidedFiles.unchanged(root);
    if (!provided.isEmpty()) {
      found.addAll(entries(provided, "--others").provided());
    }
    List<String> data = new ArrayList<>(List.of("-c", "core.quotePath=true", "ls-files"));
    data.addAll(List.of("--full-name", "--others", "--"));
    data.addAll(GitTrees.TRACKED);
    require("ls-files", git.lines(found::add, data.toArray(new String[0])));
    return found;
  }

  /**
   * Adds all changes to the index, including files that only an agent's rules ignore. Nested
   * repositories are excluded, because the index would contain none of their files. Unchanged
   * provided files are excluded too.
   *
   * @return the files that only an agent's rules ignore, quoted
   * @throws RalphException INVALID if git fails, or if a filter that an agent set drops content
   */
  public List<String> stage() throws InterruptedException {
    List<String> files = new ArrayList<>(List.of(TOP, GitTrees.DATA));
    Entries entries = entries("--cached", "--others");
    clear(git, entries);
    for (String path : entries.untracked()) {
      if (plain(path).endsWith("/")) {
        files.add(excluded(path));
      }
    }
    entries.provided().forEach(path -> files.add(excluded(path)));
    String[] add = {"add", "--all", "--sparse", "--pathspec-from-file=-"};
    require("add", git.runWith(String.join("\n", files) + "\n", add));
    stageData();
    List<String> left = new ArrayList<>(untracked());
    left.removeIf(path -> plain(path).endsWith("/"));
    if (!left.isEmpty()) {
      require(
          "add",
          git.runWith(
              String.join("\n", left) + "\n",
              "-C",
              root.toString(),
              "--literal-pathspecs",
              "add",
              "--force",
              "--sparse",
              "--pathspec-from-file=-"));
    }
    stageFiltered(entries.attributes());
    return left;
  }

  /** Stages the whole content of files from which a filter without configuration dropped a part. */
  private void stageFiltered(List<String> attributes) throws InterruptedException {
    FilteredFiles filtered = new FilteredFiles(git, root);
    Map<String, String> lossy = filtered.lossy(attributes);
    if (lossy.isEmpty()) {
      return;
    }
    Set<String> configured = filtered.configured();
    List<String> again = new ArrayList<>();
    List<String> dropped = new ArrayList<>();
    String name = "";
    for (Map.Entry<String, String> file : lossy.entrySet()) {
      boolean isConfigured = configured.contains(file.getValue());
      (isConfigured ? dropped : again).add(file.getKey());
      name = isConfigured ? file.getValue() : name;
    }
    List<String> touched = filtered.touch(again);
    if (!touched.isEmpty()) {
      String[] add = {
        "-C",
        root.toString(),
        "--literal-pathspecs",
        "add",
        "--sparse",
        "--pathspec-from-file=-",
        "--pathspec-file-nul"
      };
      require("add", git.runWith(String.join("\0", touched) + "\0", add));
    }
    if (!dropped.isEmpty()) {
      throw RalphException.invalid(
          "the filter "
              + name
              + ", which an agent set, drops content of files in "
              + root
              + ": "
              + some(dropped)
              + "; remove the filter from the configuration or from .gitattributes, and run: git"
              + " add --renormalize .");
    }
  }

  /** Returns a pathspec that excludes a quoted path, in quotes if the path is. */
  static String excluded(String path) {
    String exclude = ":(top,exclude,literal)";
    return path.startsWith("\"") ? "\"" + exclude + path.substring(1) : exclude + path;
  }

  /** Stages tracked files below {@code .ralph}, except the internal folders. */
  private void stageData() throws InterruptedException {
    if (!git.run("ls-files", "--cached", "--", ":(top).ralph").line().isEmpty()) {
      git.run(concat("reset", "--quiet", "--", GitTrees.OWN)); // fails without a first commit
      if (!git.run(concat("ls-files", "--cached", "--", GitTrees.TRACKED)).line().isEmpty()) {
        require("add", git.run(concat("add", "--update", "--", GitTrees.TRACKED)));
      }
    }
  }

  private static String[] concat(String command, String option, String end, List<String> paths) {
    List<String> all = new ArrayList<>(List.of(command, option, end));
    all.addAll(paths);
    return all.toArray(new String[0]);
  }

  /**
   * Returns a sentence about files that {@link #stage} added although an agent's rules ignore them.
   */
  public static String ignoredByAgent(Path root, List<String> files) {
    return files.size()
        + (files.size() == 1 ? " file of " : " files of ")
        + root
        + " matched only by ignore rules of an agent "
        + (files.size() == 1 ? "is" : "are")
        + " committed: "
        + some(files)
        + "; to exclude the files, commit the ignore rules on your branch";
  }

  /** Returns at most ten decoded paths, and the number of the others. */
  public static String some(List<String> paths) {
    String named =
        paths.stream().limit(MOST_NAMED).map(TreeChanges::plain).collect(Collectors.joining(", "));
    int more = paths.size() - MOST_NAMED;
    return more > 0 ? named + " and " + more + " more" : named;
  }

  private Entries entries(String... which) throws InterruptedException {
    return entries(ProvidedFiles.unchanged(root), which);
  }

  private Entries entries(Set<String> provided, String... which) throws InterruptedException {
    Entries entries = new Entries();
    List<String> options = new ArrayList<>(List.of("-v"));
    options.addAll(Arrays.asList(which));
    CommandResult listed =
        list(
            line -> {
              char tag = line.charAt(0);
              String path = line.substring(2);
              if (path.contains(ATTRIBUTES)) {
                entries.attributes().add(path);
              }
              if (tag == '?') {
                (provided.contains(path) ? entries.provided() : entries.untracked()).add(path);
                return;
              }
              if (Character.isLowerCase(tag)) {
                entries.assumed().add(path);
              }
              if (Character.toUpperCase(tag) == 'S') {
                entries.skipped().add(path);
              }
            },
            options.toArray(new String[0]));
    for (String line : listed.errors().split("\n")) {
      int end = line.lastIndexOf(": ");
      if (line.startsWith(UNREADABLE) && end > UNREADABLE.length()) {
        entries.unreadable().add(line.substring(UNREADABLE.length(), end - 1));
      }
    }
    if (!entries.skipped().isEmpty() && isSparse()) {
      entries.skipped().removeIf(path -> !isThere(path));
    }
    return entries;
  }

  private CommandResult list(Consumer<String> line, String... options) throws InterruptedException {
    Path file = null;
    try {
      file = Files.createTempFile("ralph-ignore", "");
      Files.writeString(file, rules.text());
      List<String> command = new ArrayList<>(List.of("-c", "core.quotePath=true", "ls-files"));
      command.addAll(List.of("--full-name", "--exclude-from=" + file));
      command.addAll(Arrays.asList(options));
      command.addAll(List.of("--", TOP, GitTrees.DATA));
      CommandResult answer = git.lines(line, command.toArray(new String[0]));
      return GitTrees.require("git ls-files in " + root, answer);
    } catch (IOException e) {
      throw GitTrees.failed("can't write a temporary file of ignore rules", e);
    } finally {
      delete(file);
    }
  }

  private boolean isSparse() throws InterruptedException {
    return git.run("config", "--type=bool", "core.sparseCheckout").line().equals("true");
  }

  private boolean isThere(String path) {
    try {
      return Files.exists(root.resolve(plain(path)), LinkOption.NOFOLLOW_LINKS);
    } catch (InvalidPathException notInThisLocale) {
      return true;
    }
  }

  private void clear(Git where, Entries entries) throws InterruptedException {
    clear(where, "--no-assume-unchanged", entries.assumed());
    clear(where, "--no-skip-worktree", entries.skipped());
  }

  private void clear(Git where, String option, List<String> paths) throws InterruptedException {
    if (!paths.isEmpty()) {
      String input = String.join("\n", paths) + "\n";
      require(
          "update-index",
          where.runWith(input, "-C", root.toString(), "update-index", option, "--stdin"));
    }
  }

  /** An action with a runner that uses a copied index. */
  @FunctionalInterface
  private interface IndexUse {
    void with(Git git) throws InterruptedException;
  }

  private void withCopiedIndex(IndexUse use) throws InterruptedException {
    Path copy = null;
    try {
      String index = git.run("rev-parse", "--path-format=absolute", "--git-path", "index").line();
      copy = Files.createTempFile("ralph-index", "");
      Files.write(copy, Files.readAllBytes(Path.of(index)));
      use.with(git.withIndex(copy));
    } catch (IOException e) {
      throw GitTrees.failed("can't copy the index of " + root, e);
    } finally {
      delete(copy);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException left) {
      // The system cleans its folder of temporary files.
    }
  }

  private void require(String command, CommandResult answer) {
    CommandResult unused = GitTrees.require("git " + command + " in " + root, answer);
  }

  /**
   * Returns the decoded path below a tree; the tree itself if the locale cannot encode the path.
   */
  public static Path path(Path root, String path) {
    try {
      return root.resolve(plain(path));
    } catch (InvalidPathException notInThisLocale) {
      return root;
    }
  }

  /** Decodes a path that git has quoted. */
  public static String plain(String path) {
    if (!path.startsWith("\"") || !path.endsWith("\"") || path.length() < 2) {
      return path;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int end = path.length() - 1;
    for (int i = 1; i < end; i++) {
      char each = path.charAt(i);
      if (each != '\\' || i + 1 == end) {
        bytes.write(each);
        continue;
      }
      char next = path.charAt(++i);
      int letter = "abfnrtv".indexOf(next);
      if (next >= '0' && next <= '3' && i + 2 < end) {
        bytes.write(Integer.parseInt(path.substring(i, i + 3), 8));
        i += 2;
      } else {
        bytes.write(letter < 0 ? next : "\u0007\b\f\n\r\t\u000b".charAt(letter));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
