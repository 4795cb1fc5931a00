package dev.ralph.core.sabotage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.StopReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks all rows by the same rules. Content of an actor must be in a commit or in a folder. The
 * user's repository must be unchanged, unless the output names the difference.
 */
final class Judge {

  private static final Set<StopReason> NOT_UNDERSTANDABLE =
      EnumSet.of(StopReason.STORE_FAILED, StopReason.LOST, StopReason.INTERRUPTED);

  private static final Pattern CHANGE =
      Pattern.compile(
          "changed|moved|put back|added|deleted|removed|created", Pattern.CASE_INSENSITIVE);

  private final Scene scene;

  /** Matches the references that builds may change. */
  private static final Pattern OWN =
      Pattern.compile("^refs/(ralph/|ralph-kept/|heads/ralph/|stash$)");

  /** Parses a file of git into its entries. */
  @FunctionalInterface
  private interface Listing {
    Map<String, String> of(Path file) throws Exception;
  }

  private final Map<Path, byte[]> contents = new ConcurrentHashMap<>();
  private final Map<Path, Map<String, String>> listings = new ConcurrentHashMap<>();
  private final List<String> violations = new ArrayList<>();
  private final Set<String> lost = new HashSet<>();
  private volatile Map<String, String> before;

  Judge(Scene scene) throws Exception {
    this.scene = scene;
    this.before = userState();
  }

  /** Records the present state of the user's repository as the expected state. */
  void userChanged() throws Exception {
    before = userState();
  }

  // ---- requirements

  /** Checks the requirements of all rows after a build. */
  void afterBuild(String when) throws Exception {
    requireContent(when);
    requireUserState(when);
    StopReason end = scene.end();
    if (end == null) {
      require(scene.row().mayNotBegin || scene.mode() == Mode.HOST, when + " was refused");
    } else {
      require(!NOT_UNDERSTANDABLE.contains(end), when + " ended as " + end);
    }
  }

  /** Checks the expectations of the row. */
  void requireExpected() throws Exception {
    Row row = scene.row();
    String all = String.join("\n", scene.output());
    for (Pattern each : row.says) {
      require(each.matcher(all).find(), "no " + each + " in the output");
    }
    require(row.ends.isEmpty() || row.ends.contains(scene.end()), "ended as " + scene.end());
    for (String each : row.onSession) {
      require(
          files("ralph/" + Scene.SESSION).contains(each), each + " is not on the session's branch");
    }
    for (String each : row.onMain) {
      require(files("main").contains(each), each + " is not on the user's branch");
    }
    for (String each : row.notOnMain) {
      require(!files("main").contains(each), each + " is on the user's branch");
    }
  }

  /** Checks the state after the discard. */
  void afterDiscard() throws Exception {
    requireContent("the discard");
    requireUserState("the discard");
    require(!scene.row().discards || scene.output().contains("discarded"), "not discarded");
  }

  /** Throws an error with all violations, if there are any. */
  void finish() {
    assertThat(violations)
        .as("The output was:\n  " + String.join("\n", scene.output()).replace("\n", "\n  "))
        .isEmpty();
  }

  private void require(boolean isGood, String violation) {
    if (!isGood) {
      violations.add(violation);
    }
  }

  private List<String> files(String branch) throws Exception {
    String files = raw(scene.repository(), "ls-tree", "-r", "-z", "--name-only", branch);
    return List.of(files.split("\0"));
  }

  private void requireContent(String when) throws Exception {
    Set<String> there = content();
    String all = String.join("\n", scene.output());
    for (Map.Entry<String, Scene.Item> each : scene.items().entrySet()) {
      Scene.Item item = each.getValue();
      boolean isKept =
          there.contains(each.getKey()) || item.isIgnored() && isNamed(item.file(), all);
      require(isKept || !lost.add(each.getKey()), item.file() + " was lost by " + when);
    }
  }

  /** Returns whether the output names a file or its top folder. */
  private static boolean isNamed(String file, String all) {
    return all.contains(file) || all.contains(file.split("/")[0]);
  }

  private void requireUserState(String when) throws Exception {
    Map<String, String> now = userState();
    Set<String> allowed = new HashSet<>();
    if (scene.hasMerged()) {
      String main = "ref refs/heads/main";
      allowed.add(main);
      require(Objects.equals(now.get(main), commit("ralph/s")), "main is not where it was merged");
      for (String file :
          raw(
                  scene.repository(),
                  "diff-tree",
                  "-r",
                  "--name-only",
                  "--ignore-submodules=none",
                  "-z",
                  before.get(main),
                  now.get(main))
              .split("\0")) {
        allowed.add("file " + file);
        allowed.add("index " + file);
      }
    }
    Set<String> keys = new TreeSet<>(before.keySet());
    keys.addAll(now.keySet());
    for (String key : keys) {
      String old = before.getOrDefault(key, "nothing");
      String current = now.getOrDefault(key, "nothing");
      require(
          old.equals(current) || allowed.contains(key) || isAnnounced(key),
          key + " of the user was changed by " + when + " from " + old + " to " + current);
    }
    before = now;
  }

  private boolean isAnnounced(String key) {
    String[] parts = key.split(" ", 2);
    String name = parts[parts.length - 1].replaceFirst("^refs/(heads|tags)/", "");
    Pattern word =
        Pattern.compile(
            "(?<![\\w/.-])" + Pattern.quote(name) + "(?![\\w/-])", Pattern.CASE_INSENSITIVE);
    return scene.output().stream()
        .filter(line -> !parts[0].equals("ref") || CHANGE.matcher(line).find())
        .anyMatch(line -> word.matcher(line).find());
  }

  // ---- present state

  /** Returns the blob ids of all files in a folder or in a commit with a reference. */
  private Set<String> content() throws Exception {
    Set<String> found = new HashSet<>();
    List<Path> repositories = new ArrayList<>();
    Files.walkFileTree(
        scene.base(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            if (Files.isDirectory(folder.resolve("objects"))
                && Files.isDirectory(folder.resolve("refs"))) {
              repositories.add(folder);
            }
            boolean isData =
                folder.endsWith("objects") && Files.exists(folder.resolveSibling("refs"));
            return isData ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              found.add(blob(Files.readAllBytes(file)));
            } else if (attributes.isSymbolicLink()) {
              String target = Files.readSymbolicLink(file).toString();
              found.add(blob(target.getBytes(StandardCharsets.UTF_8)));
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    for (Path each : repositories) {
      String git = "--git-dir=" + each;
      String tree = "--work-tree=" + scene.base(); // the configured work tree may be deleted
      List<String> list = new ArrayList<>(List.of(git, tree, "--no-replace-objects", "rev-list"));
      list.addAll(List.of("--objects", "--all", "--ignore-missing"));
      if (Files.exists(each.resolve("logs/refs/stash"))) {
        list.addAll(
            raw(scene.base(), git, tree, "reflog", "--format=%H", "refs/stash").lines().toList());
      }
      raw(scene.base(), list.toArray(new String[0]))
          .lines()
          .forEach(line -> found.add(line.split(" ", 2)[0]));
    }
    return found;
  }

  private Map<String, String> userState() throws Exception {
    Map<String, String> state = new TreeMap<>();
    Path git = scene.repository().resolve(".git");
    state.put("HEAD", Files.readString(git.resolve("HEAD")).strip());
    addReferences(state, git);
    state.putAll(listed(git.resolve("config"), this::config));
    state.putAll(listed(git.resolve("index"), file -> index()));
    Path stash = git.resolve("logs/refs/stash");
    state.put(
        "stash", Files.exists(stash) ? Files.readString(stash).replaceAll("(?m) .*$", "") : "");
    addFiles(state, "git hooks/", git.resolve("hooks"));
    addFiles(state, "git info/", git.resolve("info"));
    state.remove("git info/refs"); // written by git gc
    addFiles(state, "file ", scene.repository());
    return state;
  }

  private static void addReferences(Map<String, String> state, Path git) throws IOException {
    Path packed = git.resolve("packed-refs");
    List<String> lines =
        new ArrayList<>(Files.exists(packed) ? Files.readAllLines(packed) : List.of());
    try (Stream<Path> files = Files.walk(git.resolve("refs"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        lines.add(Files.readString(file).strip() + " " + git.relativize(file));
      }
    }
    for (String line : lines) {
      String[] parts = line.split(" ", 2);
      boolean isReference = parts.length == 2 && parts[1].startsWith("refs/");
      if (isReference && !OWN.matcher(parts[1]).find()) {
        state.put("ref " + parts[1], parts[0]);
      }
    }
  }

  /** Returns the entries of a file of git. Parses the file only if its content has changed. */
  private Map<String, String> listed(Path file, Listing listing) throws Exception {
    byte[] content = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    if (Arrays.equals(content, contents.put(file, content))) {
      return listings.get(file);
    }
    Map<String, String> made = listing.of(file);
    listings.put(file, made);
    return made;
  }

  private Map<String, String> config(Path file) throws Exception {
    Map<String, String> values = new TreeMap<>();
    // Run in another folder, because git reads the configuration of the repository first.
    String list = raw(scene.base(), "config", "--file", file.toString(), "--list", "-z");
    for (String line : list.split("\0")) {
      String[] parts = line.split("\n", 2);
      String value = parts.length == 2 ? parts[1] : "";
      values.merge("config " + parts[0], value, (old, more) -> old + "," + more);
    }
    return values;
  }

  private Map<String, String> index() throws Exception {
    Map<String, String> entries = new TreeMap<>();
    for (String entry : raw(scene.repository(), "ls-files", "-s", "-v", "-z").split("\0")) {
      String[] parts = entry.split("\t", 2);
      if (parts.length == 2) {
        entries.merge("index " + parts[1], parts[0], (old, more) -> old + "," + more);
      }
    }
    return entries;
  }

  private static void addFiles(Map<String, String> state, String kind, Path root)
      throws IOException {
    if (!Files.isDirectory(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean isOurs =
                folder.equals(root.resolve(".git"))
                    || folder.equals(root.resolve(".ralph/worktrees"))
                    || folder.equals(root.resolve(".ralph/store"));
            return isOurs ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = root.relativize(file).toString();
            state.put(
                kind + name,
                attributes.isSymbolicLink()
                    ? "link " + Files.readSymbolicLink(file)
                    : attributes.isRegularFile()
                        ? blob(Files.readAllBytes(file)) + (Files.isExecutable(file) ? " x" : "")
                        : "special");
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            state.put(kind + root.relativize(file), "unreadable");
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private String commit(String name) throws Exception {
    return raw(scene.repository(), "rev-parse", "--verify", name);
  }

  /** Runs git, and returns its output whatever the exit code. */
  private String raw(Path folder, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(scene.base().getParent(), "judge", "");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("end of " + command).isTrue();
    String said = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
    Files.delete(output);
    return said.endsWith("\n") ? said.substring(0, said.length() - 1) : said;
  }

  /** Returns the blob id of a file's content. */
  static String blob(byte[] content) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(("blob " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(digest.digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
