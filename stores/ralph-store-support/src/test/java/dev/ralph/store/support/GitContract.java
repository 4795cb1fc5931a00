package dev.ralph.store.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.log.RalphException;
import dev.ralph.spi.FrameStore;
import dev.ralph.store.support.internal.folder.StoreRepository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store in a work tree, in which a user runs git while the store is in use. */
public abstract class GitContract extends StoreContract {

  private Path project;
  private GitRepository repository;

  @BeforeEach
  final void makeProject() throws Exception {
    project = Files.createDirectory(temp.resolve("a project")).toRealPath();
    repository = new GitRepository(project);
    Files.writeString(project.resolve("code"), "first\n");
    Files.createDirectory(project.resolve("lib"));
    Files.writeString(project.resolve("lib/code"), "first\n");
    repository.shell("git add -A; git commit -qm first; git branch other");
    directory = project.resolve(".ralph/store");
  }

  private void append(String... contents) {
    try (FrameStore store = open()) {
      TestFrames.append(store, contents);
    }
  }

  private List<String> contents() {
    try (FrameStore store = open()) {
      assertThat(store.verify()).isEmpty();
      return TestFrames.contents(store);
    }
  }

  private String exclude() throws IOException {
    return Files.readString(project.resolve(".git/info/exclude"));
  }

  private String rule(Path top, String path) {
    return "# The store of Ralph in " + top + ", which git must pass over\n" + path + "\n";
  }

  // ---- git deletes no files of the store

  @ParameterizedTest
  @ValueSource(
      strings = {
        "git status",
        "git add -A",
        "git add .",
        "git commit -qam more",
        "git stash -q",
        "git stash -u -q",
        "git stash -a -q",
        "git stash -u -q && git stash pop",
        "git stash -a -q && git stash pop",
        "git checkout -q -- .",
        "git checkout -q -b new",
        "git checkout -q -f other",
        "git switch -q -f other",
        "git reset -q --hard",
        "git clean -q -fd",
        "git clean -q -fdx",
        "git clean -q -fdX",
        "cd .ralph && git clean -q -fdx",
        "git clean -q -fdx .ralph",
        "git commit -qam more && git checkout -q other && echo x >other && git add -A"
            + " && git commit -qm other && git rebase -q main",
        "git commit -qam more && git checkout -q other && git merge -q main",
        "git gc -q --prune=now",
        "git worktree add -q ../tree other && git worktree remove ../tree",
        "git rm -rq --cached .",
        "git rm -rqf .",
        "git sparse-checkout set --cone lib",
        "git checkout-index -a -f",
        "git ls-files -o -z --exclude-standard | xargs -0 rm -f",
        "rm -rf .git && git init -q && git add -A && git commit -qm again",
        "git submodule foreach --recursive git clean -fdx && git clean -q -fdx",
      })
  void gitCommands_deleteNothingFromStore(String script) throws Exception {
    try (FrameStore store = open()) {
      TestFrames.append(store, "one");
      Files.writeString(project.resolve("code"), "second\n");
      Files.writeString(project.resolve("untracked"), "x");
      TestFrames.append(store, "two", "x".repeat(70_000));

      repository.shell(script);

      TestFrames.append(store, "three");
    }
    assertThat(contents()).containsExactly("one", "two", "x".repeat(70_000), "three");
    append("four");
    assertThat(repository.git("ls-files")).doesNotContain(".ralph");
    assertThat(repository.git("status --porcelain")).doesNotContain(".ralph");
    repository.git("add -A");
  }

  @Test
  void stashAll_popsAfterStoreWasUsed() throws Exception {
    append("one");
    Files.writeString(project.resolve("code"), "second\n");
    repository.git("stash -a -q");
    append("two");
    repository.git("stash pop -q");
    assertThat(project.resolve("code")).hasContent("second\n");
    assertThat(contents()).containsExactly("one", "two");
  }

  @Test
  void gitInStoreFolder_changesNothing() throws Exception {
    append("one");
    for (String command : List.of("clean -ffdx", "stash -a", "init", "add -A", "status")) {
      GitRepository.Exit exit = repository.run("cd .ralph/store && git " + command);
      assertThat(exit.code()).as(command).isNotZero();
      assertThat(exit.said()).contains("unknown repository extension", "ralphstore");
    }
    assertThat(contents()).containsExactly("one");
  }

  @Test
  void linkedWorkTree_isProtected() throws Exception {
    repository.git("worktree add -q ../tree other");
    Path tree = temp.resolve("tree").toRealPath();
    append("in the first");
    directory = tree.resolve(".ralph/store");
    append("one");

    repository.shell("cd ../tree; echo x >untracked; git clean -q -fdx; git add -A");
    repository.shell("cd ../tree; git stash -a -q; git reset -q --hard; git clean -q -fdx");

    assertThat(contents()).containsExactly("one");
    assertThat(exclude())
        .contains(rule(project, "/.ralph/store/"))
        .contains(rule(tree, "/.ralph/store/"));
    assertThat(repository.shell("cd ../tree; git status --porcelain")).isEmpty();
  }

  @Test
  void workTreeOfBareRepository_isProtected() throws Exception {
    repository.shell("git clone -q --bare . ../kept.git");
    repository.git("--git-dir=../kept.git worktree add -q ../tree other");
    directory = temp.resolve("tree/.ralph/store");
    append("one");
    repository.shell("cd ../tree; git clean -q -fdx; git add -A; git stash -a -q || :");
    assertThat(contents()).containsExactly("one");
    assertThat(repository.shell("cd ../tree; git status --porcelain")).isEmpty();
  }

  // ---- the repository in the store

  private boolean isRepository() {
    return Files.exists(directory.resolve(".git/HEAD"));
  }

  private void assertIsLeftAlone() throws Exception {
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(StoreRepository.exposure(directory)).isNotNull();
    repository.git("add -A");
    assertThat(repository.git("status --porcelain")).doesNotContain(".ralph");
  }

  @Test
  void storeOutsideRepository_isProtectedAfterGitInit() throws Exception {
    repository.shell("rm -rf .git");
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(project.resolve(".ralph/.gitignore")).doesNotExist();
    assertThat(StoreRepository.exposure(directory)).isNull();

    repository.shell("git init -q -b main && git add -A");
    assertThat(repository.git("ls-files")).isEqualTo("code\nlib/code\n");
    assertThat(StoreRepository.exposure(directory)).contains("the next append");

    append("two");
    assertThat(StoreRepository.exposure(directory)).isNull();
    repository.git("clean -q -fdx");
    assertThat(contents()).containsExactly("one", "two");
  }

  @Test
  void rule_isAddedOnce_otherLinesStay() throws Exception {
    Path exclude = project.resolve(".git/info/exclude");
    Files.writeString(exclude, "# mine\n*.log"); // no line break
    Files.setPosixFilePermissions(exclude, PosixFilePermissions.fromString("rw-rw-r--"));
    append("one");
    append("two");
    repository.git("clean -q -fdx");
    append("three");
    assertThat(exclude()).isEqualTo("# mine\n*.log\n" + rule(project, "/.ralph/store/"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(exclude)))
        .isEqualTo("rw-rw-r--");
  }

  @Test
  void concurrentStores_addRuleOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<Boolean>> appends = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        appends.add(
            () -> {
              append("one");
              return true;
            });
      }
      for (Future<Boolean> each : threads.invokeAll(appends)) {
        assertThat(each.get()).isTrue();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(exclude()).containsOnlyOnce("/.ralph/store/");
    assertThat(contents()).hasSize(8);
  }

  @Test
  void missingRule_isRestored() throws Exception {
    append("one");
    Files.writeString(project.resolve(".git/info/exclude"), "");
    Files.delete(project.resolve(".ralph/.gitignore"));
    assertThat(repository.run("git add -A").code()).isNotZero();
    append("two");
    assertThat(exclude()).isEqualTo(rule(project, "/.ralph/store/"));
    repository.git("add -A");
    assertThat(contents()).containsExactly("one", "two");
  }

  @Test
  void missingInfoFolder_isCreated() throws Exception {
    repository.shell("rm -r .git/info");
    append("one");
    assertThat(exclude()).isEqualTo(rule(project, "/.ralph/store/"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"#a/!b", " a *b? ", "[ab]", "a\\b", "w\u00fcrfel"})
  void specialFolderName_isProtected(String name) throws Exception {
    directory = project.resolve(name);
    append("one");
    assertThat(isRepository()).isTrue();
    assertThat(repository.git("status --porcelain")).isEmpty();
    repository.shell("git add -A; git clean -q -fdx; git stash -a -q || :");
    assertThat(contents()).containsExactly("one");
  }

  @Test
  void nameWithLineBreak_isNotProtected() throws Exception {
    directory = project.resolve("a\nb");
    append("one");
    assertThat(isRepository()).isFalse();
    repository.git("add -A");
  }

  @Test
  void linkedStore_usesRepositoryOfTarget() throws Exception {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Files.createSymbolicLink(project.resolve(".ralph"), elsewhere);
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(exclude()).doesNotContain("store");
  }

  @Test
  void storeInGitFolder_needsNoProtection() throws Exception {
    directory = project.resolve(".git/ralph");
    append("one");
    repository.shell("git clean -q -ffdx; git stash -a -q || :; git gc -q");
    assertThat(contents()).containsExactly("one");
    assertThat(isRepository()).isFalse();
    assertThat(StoreRepository.exposure(directory)).isNull();
  }

  // ---- git can't be configured to ignore the store

  @ParameterizedTest
  @ValueSource(strings = {"!*/", "!.ralph/store", "!.ralph/**", "!store/"})
  void exceptionRule_preventsProtection(String line) throws Exception {
    Files.writeString(project.resolve(".gitignore"), "*\n" + line + "\n!code\n");
    assertIsLeftAlone();
    assertThat(StoreRepository.exposure(directory)).contains("has the line " + line);
    assertThat(exclude()).doesNotContain("store");
  }

  @Test
  void laterException_removesRepository() throws Exception {
    append("one");
    assertThat(isRepository()).isTrue();
    Files.writeString(project.resolve(".gitignore"), "!*/\n");
    assertIsLeftAlone();
  }

  @Test
  void onlyLaterExceptionInSameFile_counts() throws Exception {
    Path exclude = project.resolve(".git/info/exclude");
    Files.writeString(exclude, "!store\n");
    append("one");
    assertThat(isRepository()).isTrue();
    Files.writeString(exclude, exclude() + "!store\n");
    assertIsLeftAlone();
  }

  @Test
  void trackedStore_isNotProtected() throws Exception {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve(".gitignore"), "lock\nderived/\n");
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(exclude()).doesNotContain("store");
    repository.git("add -A");
    assertThat(repository.git("ls-files")).contains(".ralph/store/.gitignore");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mv .git/info ../info && ln -s ../../info .git/info",
        "mv .git/info/exclude ../exclude && ln -s ../../../exclude .git/info/exclude",
        "mv .git ../kept && ln -s ../kept .git",
        "git init -q --separate-git-dir=../kept",
        "git config core.worktree \"$PWD\"",
        "mkdir -p ../kept/worktrees && mv .git ../kept/worktrees/x && echo 'gitdir: "
            + "../kept/worktrees/x' >.git",
      })
  void untrustedRepository_isNotWritten(String script) throws Exception {
    repository.shell(script);
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(StoreRepository.exposure(directory)).isNotNull();
    assertThat(filesThatName("The store of Ralph")).isEmpty();
    assertThat(repository.run("git add -A").code()).isZero();
  }

  @Test
  void workTreeClaimingOtherRepository_isNotFollowed() throws Exception {
    Path other = Files.createDirectory(temp.resolve("other"));
    new GitRepository(other);
    // All paths are valid, but the other repository does not list this work tree.
    repository.shell(
        "rm -rf .git; mkdir -p kept/worktrees/x; echo \"gitdir: $PWD/kept/worktrees/x\" >.git;"
            + " cd kept/worktrees/x; echo '"
            + project.resolve(".git")
            + "' >gitdir; echo '"
            + other.resolve(".git")
            + "' >commondir; echo 'ref: refs/heads/main' >HEAD");
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(filesThatName("The store of Ralph")).isEmpty();
  }

  @Test
  void workTreeNamingOtherFolder_isNotFollowed() throws Exception {
    repository.git("worktree add -q ../tree other");
    Path copy = Files.createDirectory(temp.resolve("copy"));
    Files.copy(temp.resolve("tree/.git"), copy.resolve(".git"));
    directory = copy.resolve(".ralph/store");
    append("one");
    assertThat(isRepository()).isFalse();
    assertThat(exclude()).doesNotContain("store");
  }

  private List<Path> filesThatName(String text) throws IOException {
    try (Stream<Path> files = Files.walk(temp)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> file.toFile().length() < 100_000)
          .filter(file -> holds(file, text))
          .toList();
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // ---- a store from an untrusted source

  @ParameterizedTest
  @ValueSource(
      strings = {
        "printf '[core]\\n\\tfsmonitor = touch ran\\n' >config",
        "printf '[core]\\n\\tfsmonitor = touch ran\\n' >>config",
        "printf '[core]\\n\\trepositoryformatversion = 1\\n\\tbare = false\\n[extensions]\\n\\tralphstore"
            + " = true\\n' >../c; ln -s ../c config",
        "mkdir hooks",
        "echo ../../../../other >commondir",
        "echo 'ref: refs/heads/main' >HEAD",
        "rm -f config && mkfifo config",
        "rm -f config && mkdir config",
        "git init -q ..",
        "cd .. && rm -rf .git && ln -s ../../.git .git",
        "cd .. && mv .git kept && ln -s kept .git",
        "cd .. && rm -rf .git && echo 'gitdir: ../../.git' >.git",
      })
  void storeWithForeignRepository_isRejected(String script) throws Exception {
    repository.shell("rm -rf .git");
    append("one");
    repository.shell("cd .ralph/store/.git && " + script);
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(RalphException.Code.INVALID))
        .hasMessageContaining(directory.resolve(".git").toString())
        .hasMessageContaining("Move it away");
    repository.shell("rm -rf .ralph/store/.git");
    assertThat(contents()).containsExactly("one");
  }

  @Test
  void project_isNoStoreWithForeignRepository() {
    assertThatThrownBy(() -> open(project))
        .hasMessageContaining("use a different path")
        .hasMessageNotContaining("Move it away");
  }

  // ---- a deleted store

  @Test
  void deletedStore_isRemembered() throws Exception {
    assertThat(StoreRepository.wasIn(directory)).isFalse();
    append("one");
    repository.git("worktree add -q ../tree other");
    repository.git("clean -q -ffdx");
    assertThat(directory).doesNotExist();
    assertThat(StoreRepository.wasIn(directory)).isTrue();
    assertThat(StoreRepository.wasIn(project.resolve("lib/.ralph/store"))).isFalse();
    assertThat(StoreRepository.wasIn(temp.resolve("tree/.ralph/store"))).isFalse();

    append("new");
    assertThat(contents()).containsExactly("new");
    assertThat(exclude()).containsOnlyOnce("/.ralph/store/");
  }
}
