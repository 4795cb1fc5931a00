package dev.ralph.core.internal.git;

import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.Sha256;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds changes of agents to a repository other than commits of the session: to its configuration,
 * hooks, {@code info} folder and references. Settings that would break the user's checkout are
 * restored to their values before the run. All other changes are only reported. Not thread-safe.
 */
public final class RepositoryWatch implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String CONFIG = "config";
  private static final String TREE_CONFIG = "config.worktree";

  /**
   * Settings that can hide the repository, or redirect git to a foreign work tree or foreign hooks.
   */
  private static final Set<String> PUT_BACK =
      Set.of("core.bare", "core.worktree", "core.hookspath", "core.repositoryformatversion");

  private static final List<String> PUT_BACK_SECTIONS =
      List.of("extensions.", "include.", "includeif.");

  /**
   * Allows work trees to have their own settings. {@code git sparse-checkout} needs this setting.
   * Without it git would treat the files outside a sparse checkout as deleted.
   */
  private static final String TREE_CONFIG_KEY = "extensions.worktreeconfig";

  /** A file of {@code info} that git writes itself. */
  private static final String WRITTEN_BY_GIT = "info/refs";

  /** Names other folders of objects; without them, commits may lack their files. */
  private static final String ALTERNATES = "objects/info/alternates";

  private final Path common;
  private final String session;

  /** Finds the repository by its Git folder, independent of the state of the work trees. */
  private final Git git;

  /** Runs outside the repository, because its configuration may be damaged. */
  private final Git outside;

  /** The user's ignore rules before the run. */
  private final List<String> savedRules;

  private final List<String> addedRules;

  private final Map<String, Map<String, List<String>>> before = new TreeMap<>();
  private final Map<String, byte[]> bytes = new TreeMap<>();

  private final ReferenceWatch references;

  /** The last reported state, so that each change is reported once. */
  private State known;

  private record State(
      Map<String, Map<String, List<String>>> settings,
      Map<String, String> files,
      Set<String> replaced) {}

  private RepositoryWatch(Path common, String session) throws InterruptedException {
    this.common = common;
    this.session = session;
    Path top = Objects.requireNonNullElse(common.getRoot(), common);
    this.outside = new Git(top, PATIENCE);
    this.git = new Git(top, PATIENCE, Map.of("GIT_DIR", common.toString()));
    IgnoreRules.beginRun(git, common, session);
    this.savedRules = IgnoreRules.saved(common, session);
    this.addedRules = IgnoreRules.addedByAgents(common);
    for (String name : configs()) {
      Map<String, List<String>> settings = settings(name);
      if (settings != null) {
        before.put(name, settings);
        bytes.put(name, read(name));
      }
    }
    List<String> refs = ReferenceWatch.references(git);
    this.references = new ReferenceWatch(git, common, session, refs);
    this.known = readState(refs);
  }

  /**
   * Starts to watch a repository, before agents run.
   *
   * @param common the Git folder of the repository
   * @param session the session of the agents
   */
  public static RepositoryWatch begin(Path common, String session) throws InterruptedException {
    return new RepositoryWatch(common, session);
  }

  /**
   * Starts to watch the repository of one of Ralph's work trees.
   *
   * @param directory the working directory of an agent
   * @return null if the folder is not in such a work tree
   */
  public static @Nullable RepositoryWatch ofTree(Path directory) throws InterruptedException {
    for (Path at = GitTrees.real(directory); at != null; at = at.getParent()) {
      Path parent = at.getParent();
      if (parent != null
          && parent.endsWith(SessionNames.PLACE)
          && Files.isRegularFile(at.resolve(".git"))) {
        Git git = Git.alone(at, PATIENCE);
        return begin(GitTrees.common(git, at), String.valueOf(at.getFileName()));
      }
    }
    return null;
  }

  /**
   * Finds the changes since the last call, and restores the settings that would break the user's
   * checkout.
   *
   * @return a sentence for each kind of change, with names
   * @throws RalphException INVALID if git can't read or write the configuration
   */
  public List<String> compare() throws InterruptedException {
    return compare(null);
  }

  /**
   * Finds the changes as {@link #compare()}, before the changes of a work tree are committed.
   *
   * @param ended the top folder of that work tree, whose files are not listed; null for none
   * @return a sentence for each kind of change, with names
   */
  public List<String> compare(@Nullable Path ended) throws InterruptedException {
    List<String> notices = new ArrayList<>();
    List<String> restored = new ArrayList<>();
    for (String name : configs()) {
      restored.addAll(putBack(name));
    }
    IgnoreRules.restore(common, session, savedRules, addedRules);
    List<String> refs = ReferenceWatch.references(git);
    State now = readState(refs);
    Set<String> changed = new TreeSet<>();
    now.settings().forEach((name, settings) -> changed.addAll(differences(name, settings)));
    if (!restored.isEmpty()) {
      notices.add(sentence("settings", restored) + "; the earlier values are restored");
    }
    if (!changed.isEmpty()) {
      notices.add(
          sentence("settings", List.copyOf(changed))
              + "; to show the settings: git config --list --show-origin");
    }
    FilteredFiles.changedByAgent(common, changedFilters(now));
    List<String> files = new ArrayList<>(different(known.files(), now.files()));
    if (!files.isEmpty()) {
      notices.add(sentence("files", files));
    }
    List<String> replaced = new ArrayList<>(now.replaced());
    replaced.removeAll(known.replaced());
    if (!replaced.isEmpty()) {
      notices.add(
          sentence("replace references", replaced)
              + "; Ralph ignores replace references, your git does not; to remove one: git"
              + " replace -d");
    }
    known = now;
    notices.addAll(references.compare(refs, ended));
    return notices;
  }

  /**
   * Records that all changes of a work tree of the session are committed, so that a later deletion
   * of the work tree loses no files.
   *
   * @param root the top folder of the work tree
   */
  public void committed(Path root) {
    references.committed(root);
  }

  private String sentence(String kind, List<String> names) {
    return kind
        + " of the repository "
        + common
        + " changed while an agent worked: "
        + TreeChanges.some(names);
  }

  /** Returns the names of filters whose commands differ from those before the run. */
  private Set<String> changedFilters(State now) {
    Set<String> names = new TreeSet<>();
    now.settings()
        .forEach(
            (name, settings) -> {
              for (String key : different(before.getOrDefault(name, Map.of()), settings)) {
                boolean isCommand = key.startsWith("filter.") && !key.endsWith(".required");
                if (isCommand && !isLfs(settings.getOrDefault(key, List.of()))) {
                  names.add(FilteredFiles.name(key));
                }
              }
            });
    return names;
  }

  /** Returns whether a filter is Git LFS. It keeps all content, and its files are large. */
  private static boolean isLfs(List<String> commands) {
    return !commands.isEmpty() && commands.stream().allMatch(each -> each.startsWith("git-lfs "));
  }

  private Set<String> differences(String name, Map<String, List<String>> settings) {
    // Work trees are created and deleted all the time, each with its own file.
    return name.startsWith("worktrees/")
        ? Set.of()
        : different(known.settings().getOrDefault(name, Map.of()), settings);
  }

  private static <V> Set<String> different(Map<String, V> one, Map<String, V> other) {
    Set<String> names = new TreeSet<>(one.keySet());
    names.addAll(other.keySet());
    names.removeIf(name -> Objects.equals(one.get(name), other.get(name)));
    return names;
  }

  private State readState(List<String> refs) throws InterruptedException {
    Map<String, Map<String, List<String>>> settings = new TreeMap<>();
    for (String name : configs()) {
      Map<String, List<String>> read = settings(name);
      settings.put(name, read == null ? Map.of() : read);
    }
    Set<String> replaced = new TreeSet<>();
    for (String line : refs) {
      String name = line.split(" ")[2];
      if (name.startsWith("refs/replace/")) {
        replaced.add(name);
      }
    }
    return new State(settings, files(), replaced);
  }

  /** Returns the configuration files, relative to the repository's Git folder. */
  private Set<String> configs() {
    Set<String> names = new TreeSet<>(List.of(CONFIG, TREE_CONFIG));
    Path trees = common.resolve("worktrees");
    if (Files.isDirectory(trees)) {
      try (Stream<Path> folders = Files.list(trees)) {
        folders
            .map(folder -> folder.resolve(TREE_CONFIG))
            .filter(Files::isRegularFile)
            .forEach(file -> names.add(common.relativize(file).toString()));
      } catch (IOException e) {
        throw GitTrees.failed("can't list " + trees, e);
      }
    }
    names.addAll(before.keySet());
    return names;
  }

  /** Returns the values of each setting of a file; null if git can't read the file. */
  private @Nullable Map<String, List<String>> settings(String name) throws InterruptedException {
    Path file = common.resolve(name);
    if (!Files.exists(file)) {
      return name.equals(CONFIG) ? null : Map.of();
    }
    CommandResult answer = outside.run("config", "--file", file.toString(), "--list", "-z");
    if (!answer.isGood()) {
      return null;
    }
    Map<String, List<String>> settings = new LinkedHashMap<>();
    for (String entry : answer.output().split("\0")) {
      int end = entry.indexOf('\n');
      String key = end < 0 ? entry : entry.substring(0, end);
      if (!key.isEmpty()) {
        String value = end < 0 ? "true" : entry.substring(end + 1);
        settings.computeIfAbsent(key, each -> new ArrayList<>()).add(value);
      }
    }
    return settings;
  }

  /** Restores the settings of a file, or the whole file if git can't read it. */
  private List<String> putBack(String name) throws InterruptedException {
    Map<String, List<String>> old = before.getOrDefault(name, Map.of());
    Map<String, List<String>> now = settings(name);
    if (now == null) {
      return restore(name) ? List.of(name) : List.of();
    }
    List<String> keys = new ArrayList<>();
    for (String key : different(old, now)) {
      boolean isNewTreeConfig = key.equals(TREE_CONFIG_KEY) && !old.containsKey(key);
      if (!isNewTreeConfig && isPutBack(key)) {
        put(name, key, old.getOrDefault(key, List.of()), now.containsKey(key));
        keys.add(key);
      }
    }
    return keys;
  }

  private static boolean isPutBack(String key) {
    // A merge driver can drop the work of a task.
    boolean isDriver = key.startsWith("merge.") && key.endsWith(".driver");
    return isDriver
        || PUT_BACK.contains(key)
        || PUT_BACK_SECTIONS.stream().anyMatch(key::startsWith);
  }

  private void put(String name, String key, List<String> values, boolean isThere)
      throws InterruptedException {
    String file = common.resolve(name).toString();
    if (isThere) {
      String[] unset = {"config", "--file", file, "--unset-all", key};
      GitTrees.require("git config in " + file, GitTrees.patient(outside, unset));
    }
    for (String value : values) {
      String[] add = {"config", "--file", file, "--add", key, value};
      GitTrees.require("git config in " + file, GitTrees.patient(outside, add));
    }
  }

  private boolean restore(String name) {
    byte[] old = bytes.get(name);
    Path file = common.resolve(name);
    try {
      if (old != null) {
        if (Files.exists(file)) {
          Files.move(file, damaged(file));
        }
        Files.write(file, old);
      }
      return old != null;
    } catch (IOException e) {
      throw GitTrees.failed("can't put back " + file, e);
    }
  }

  private static Path damaged(Path file) {
    int number = 1;
    while (Files.exists(file.resolveSibling(file.getFileName() + ".damaged-" + number))) {
      number++;
    }
    return file.resolveSibling(file.getFileName() + ".damaged-" + number);
  }

  private byte[] read(String name) {
    Path file = common.resolve(name);
    try {
      return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    } catch (IOException e) {
      throw GitTrees.failed("can't read " + file, e);
    }
  }

  /** Returns a digest of each file in the folders hooks and info, and of alternates, by name. */
  private Map<String, String> files() {
    Map<String, String> files = new TreeMap<>();
    for (String folder : List.of("hooks", "info")) {
      Path top = common.resolve(folder);
      if (Files.isDirectory(top)) {
        try (Stream<Path> all = Files.walk(top)) {
          for (Path file : all.filter(RepositoryWatch::isFile).toList()) {
            String name = common.relativize(file).toString();
            if (!name.equals(WRITTEN_BY_GIT)) {
              files.put(name, digest(file));
            }
          }
        } catch (IOException e) {
          throw GitTrees.failed("can't read " + top, e);
        }
      }
    }
    String alternates = ReferenceWatch.text(common.resolve(ALTERNATES));
    if (!alternates.isEmpty()) {
      files.put(ALTERNATES, Sha256.of(alternates));
    }
    return files;
  }

  private static boolean isFile(Path file) {
    return !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static String digest(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      return "link to " + Files.readSymbolicLink(file);
    }
    return Files.isRegularFile(file)
        ? Sha256.of(Files.readAllBytes(file)) + (Files.isExecutable(file) ? "x" : "")
        : "special";
  }

  /** Ends the run. Ignore rules added since its start count as an agent's rules from now on. */
  @Override
  public void close() {
    try {
      references.end();
      IgnoreRules.restore(common, session, savedRules, addedRules);
      IgnoreRules.endRun(git, common, session);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // only the rules before the run stay in effect
    }
  }
}
