package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Verdict;
import dev.ralph.core.BranchMerger.Result;
import dev.ralph.core.BranchMerger.Status;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.process.ProcessSpec;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Merges of work into branches of real repositories. */
@Timeout(300)
class BranchMergerTest {

  private static final String BRANCH = "ralph/goal";
  private static final BranchMerger.Check GOOD = folder -> Verdict.passed();

  @TempDir Path folder;
  private Path repository;

  @BeforeEach
  void repository() throws Exception {
    make("a repo", "sha1");
  }

  private void make(String name, String objects) throws Exception {
    repository = Files.createDirectories(folder.resolve(name).resolve("sub")).getParent();
    git("init", "--quiet", "-b", "main", "--object-format=" + objects);
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.writeString(repository.resolve("a.txt"), "one\ntwo\nthree\n");
    Files.writeString(repository.resolve("sub/b.txt"), "b\n");
    Files.writeString(repository.resolve(".gitignore"), "built\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    git("branch", BRANCH);
    Files.writeString(repository.resolve("a.txt"), "what its owner is at\n");
  }

  private String git(String... arguments) throws InterruptedException {
    return git(repository, arguments);
  }

  private static String git(Path where, String... arguments) throws InterruptedException {
    CommandResult answer = GitTrees.patient(new Git(where, Duration.ofMinutes(2)), arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  /** Creates a branch from {@code main} with one changed file; null content removes the file. */
  private String work(String name, String file, String content) throws Exception {
    Path tree = folder.resolve("work-" + name);
    git("branch", name, "main"); // a repeated worktree add could not create it again
    git("worktree", "add", "--quiet", tree.toString(), name);
    commit(tree, file, content);
    return name;
  }

  private static void commit(Path tree, String file, String content) throws Exception {
    Path path = tree.resolve(file);
    if (content == null) {
      Files.delete(path);
    } else {
      Files.createDirectories(path.getParent());
      Files.writeString(path, content);
    }
    git(tree, "add", "--all");
    git(tree, "commit", "--quiet", "-m", "by an agent");
  }

  private String log() throws InterruptedException {
    return git("log", "--format=%s", BRANCH);
  }

  private void assertNothingElseChanged() throws Exception {
    assertThat(git("status", "--porcelain")).isEqualTo("M a.txt");
    assertThat(git("symbolic-ref", "--short", "HEAD")).isEqualTo("main");
    assertThat(git("log", "--format=%s", "main")).isEqualTo("first");
    assertThat(git("worktree", "list")).doesNotContain(".landing-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha1", "sha256"})
  void fileWrittenOnMerge_neverConflicts(String objects) throws Exception {
    make("a repo by " + objects, objects);
    String form = work("form", "a.txt", "1 form\ntwo\nthree\n");
    commit(folder.resolve("work-form"), "form.txt", "form\n");
    String page = work("page", "a.txt", "1 page\ntwo\nthree\n");
    String gone = work("gone", "a.txt", null);
    List<String> seen = new ArrayList<>();
    BranchMerger.Check check =
        at -> {
          seen.add(Files.readString(at.resolve("a.txt")));
          return Verdict.passed();
        };
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      merger.onMerge(Path.of("a.txt"), (piece, text) -> text + "✓ " + piece.message() + "\n");
      Map<BranchMerger.Piece, Result> results =
          merger.merge(
              List.of(
                  new BranchMerger.Piece(form, "Form"),
                  new BranchMerger.Piece(page, "Page"),
                  new BranchMerger.Piece(gone, "Gone")),
              check,
              piece -> true);
      assertThat(results.values())
          .extracting(Result::status)
          .containsExactly(Status.MERGED, Status.MERGED, Status.MERGED);
    }
    String all = "one\ntwo\nthree\n✓ Form\n✓ Page\n✓ Gone\n";
    assertThat(seen).as("content of the checked merge").containsExactly(all);
    assertThat(git("show", BRANCH + ":a.txt") + "\n").isEqualTo(all);
    assertThat(git("show", BRANCH + ":form.txt")).isEqualTo("form");
    assertThat(git("show", "--stat", "--format=", BRANCH + "^2^")).contains("a.txt | 1 +");
    assertNothingElseChanged();
  }

  @Test
  void fileWrittenOnMerge_mayBeNew() throws Exception {
    Path deep = Path.of("docs/a list", "done.md");
    String page = work("page", "docs/a list/done.md", "by an agent\n");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      merger.onMerge(deep, (piece, text) -> text);
      assertThat(merger.merge(page, "Page", GOOD).status()).isEqualTo(Status.NOTHING);
      merger.onMerge(deep, (piece, text) -> text + piece.message() + "\n");
      assertThat(merger.merge(page, "Page", GOOD).status()).isEqualTo(Status.MERGED);
      assertThat(git("show", BRANCH + ":docs/a list/done.md")).isEqualTo("Page");
      merger.onMerge(deep, (piece, text) -> "");
      assertThat(merger.merge("main", "Empty", GOOD).status()).isEqualTo(Status.MERGED);
      assertThat(git("cat-file", "-s", BRANCH + ":docs/a list/done.md")).isEqualTo("0");
    }
    Files.createSymbolicLink(repository.resolve("link"), Path.of("a.txt"));
    Files.write(repository.resolve("old.txt"), new byte[] {'a', (byte) 0xe9, '\n'});
    git("add", "link", "old.txt");
    git("commit", "--quiet", "-m", "A link and a file of old times");
    git("branch", "-f", BRANCH);
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      merger.onMerge(Path.of("link"), (piece, text) -> text + "more");
      assertThatThrownBy(() -> merger.merge(page, "Page", GOOD))
          .hasMessage("link is not a regular file in the repository; replace the entry by a file");
      merger.onMerge(Path.of("old.txt"), (piece, text) -> text + "more");
      assertThatThrownBy(() -> merger.merge(page, "Page", GOOD))
          .hasMessage("old.txt is too long or not valid UTF-8; shorten or convert the file");
      assertThatThrownBy(() -> merger.onMerge(Path.of("../b"), (piece, text) -> text))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining(
              "relative to the top of the repository, and inside it; found '../b'");
    }
  }

  /** Each row is a plan before the work, on the branch, in the work, and after the merge. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[ ] a,[ ] b | [x] a,[ ] b | [ ] a,[ ] b,note | [x] a,[ ] b,note",
        "[ ] a,[ ] b | [x] a,[ ] b | [ ] a,[x] b | [x] a,[ ] b",
        "[ ] a,[ ] b | [x] a,[ ] b | [ ] a,note,[x] b | [x] a,note,[ ] b",
        "[ ] a,[ ] b | [x] a,[ ] b | [ ] a,[ ] better | [x] a,[ ] better",
        "[ ] a,[ ] b | [x] a,[ ] b | [ ] b | [ ] b",
        "[ ] a,[ ] a | [x] a,[ ] a | [ ] a,[ ] a,[x] c | [x] a,[ ] a,[x] c",
        "[ ] a | [ ] a,theirs | [ ] a,ours | [ ] a,theirs,ours",
        "[ ] a,1 | [x] a,2 | [ ] a,3 | [x] a,2,3",
        "[ ] a | [x] a | '' | [x] a",
        "1 | 1,2 | [x] new | 1,2,[x] new",
      })
  void editsOfTickedFile_areMerged(String before, String there, String edited, String after)
      throws Exception {
    commit(repository, "plan.md", plan(before));
    git("branch", "-f", BRANCH);
    String work = work("edit", "plan.md", plan(edited));
    commit(folder.resolve("work-edit"), "done.txt", "done\n");
    git("switch", "-q", BRANCH);
    commit(repository, "plan.md", plan(there));
    git("switch", "-q", "main");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      merger.onMergeWithEdits(Path.of("plan.md"), (piece, text) -> text + "- end\n");
      assertThat(merger.merge(work, "Edit", GOOD).status()).isEqualTo(Status.MERGED);
    }
    assertThat(git("show", BRANCH + ":plan.md") + "\n").isEqualTo(plan(after) + "- end\n");
    assertThat(git("show", BRANCH + ":done.txt")).isEqualTo("done");
  }

  private static String plan(String lines) {
    return lines.isEmpty() ? null : "# Plan\n- " + lines.replace(",", "\n- ") + "\n";
  }

  @ParameterizedTest
  @CsvSource({"link, not a regular file", "NUL, a NUL character", "bytes, not valid UTF-8"})
  void unusableEdit_isReturned(String kind, String reason) throws Exception {
    String work = work("edit", "plan.md", "a\0b\n");
    Path file = folder.resolve("work-edit/plan.md");
    if (kind.equals("bytes")) {
      Files.write(file, new byte[] {'a', (byte) 0xe9, '\n'});
    } else if (kind.equals("link")) {
      Files.delete(file);
      Files.createSymbolicLink(file, Path.of("a.txt"));
    }
    git(folder.resolve("work-edit"), "commit", "--quiet", "--all", "--allow-empty", "-m", "Edit");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      merger.onMergeWithEdits(Path.of("plan.md"), (piece, text) -> text + "more\n");
      Result result = merger.merge(work, "Edit", GOOD);
      assertThat(result.status()).isEqualTo(Status.REFUSED);
      assertThat(result.reason()).contains("plan.md", reason);
    }
  }

  @Test
  void eachBranch_isCheckedAndMergedAsSingleCommit() throws Exception {
    String form = work("form", "sub/form.txt", "form\n");
    commit(folder.resolve("work-form"), "sub/more.txt", "more\n");
    String page = work("page", "page.txt", "page\n");
    List<String> seen = new ArrayList<>();
    BranchMerger.Check check =
        at -> {
          assertThat(at).hasFileName("sub").exists();
          seen.add(
              Files.exists(at.resolve("form.txt")) + " " + Files.exists(at.resolve("../page.txt")));
          Files.writeString(at.resolve("left.txt"), "left by a test\n");
          Files.writeString(at.resolve("b.txt"), "changed by a test\n");
          assertThat(at.resolve("../built").toFile().exists()).isEqualTo(seen.size() > 1);
          Files.writeString(at.resolve("../built"), "what a build has made\n");
          return Verdict.passed();
        };
    try (BranchMerger merger = BranchMerger.onto(repository.resolve("sub"), BRANCH)) {
      Result first = merger.merge(form, "Add a form", check);
      assertThat(first.status()).isEqualTo(Status.MERGED);
      assertThat(first.commit()).isEqualTo(git("rev-parse", BRANCH));
      Result second = merger.merge(page, "Add a page", check);
      assertThat(second.isThere()).isTrue();
      assertThat(merger.merge(form, "Add a form again", check).status()).isEqualTo(Status.NOTHING);
      assertThat(second.commit()).isEqualTo(git("rev-parse", BRANCH));
    }
    assertThat(seen).containsExactly("true false", "true true");
    assertThat(log()).isEqualTo("Add a page\nAdd a form\nfirst");
    assertThat(git("ls-tree", "-r", "--name-only", BRANCH))
        .isEqualTo(".gitignore\na.txt\npage.txt\nsub/b.txt\nsub/form.txt\nsub/more.txt");
    assertThat(git("show", BRANCH + ":sub/b.txt")).isEqualTo("b");
    assertNothingElseChanged();
  }

  @Test
  void conflict_showsBothSidesAndChangesNothing() throws Exception {
    String mine = work("mine", "a.txt", "one\nmy two\nthree\n");
    String yours = work("yours", "a.txt", "one\nyour two\nthree\n");
    commit(folder.resolve("work-mine"), "sub/b.txt", null);
    commit(folder.resolve("work-yours"), "sub/b.txt", "b, changed\n");
    commit(folder.resolve("work-mine"), "odd \"é\nname", "mine\n");
    commit(folder.resolve("work-yours"), "odd \"é\nname", "yours\n");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      assertThat(merger.merge(mine, "Mine", GOOD).isThere()).isTrue();
      String before = git("rev-parse", BRANCH);

      Result result = merger.merge(yours, "Yours", GOOD);

      assertThat(result.status()).isEqualTo(Status.CONFLICT);
      assertThat(result.isThere()).isFalse();
      assertThat(result.commit()).isNull();
      assertThat(result.files()).containsExactlyInAnyOrder("a.txt", "odd \"é\nname", "sub/b.txt");
      assertThat(result.reason())
          .contains("a.txt:\n<<<<<<< ")
          .contains("\nmy two\n=======\nyour two\n>>>>>>> ")
          .contains("sub/b.txt:\n(one side removed");
      assertThat(git("rev-parse", BRANCH)).isEqualTo(before);
      assertThat(git("log", "--format=%s", yours)).startsWith("by an agent");
    }
    assertNothingElseChanged();
  }

  @Test
  void failedCheck_blocksTheMerge() throws Exception {
    String form = work("form", "form.txt", "form\n");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      Result failed = merger.merge(form, "Add a form", at -> Verdict.failed("2 tests failed"));
      assertThat(failed.status()).isEqualTo(Status.REFUSED);
      assertThat(failed.reason()).isEqualTo("2 tests failed");
      Result broken =
          merger.merge(
              form,
              "Add a form",
              at -> {
                throw new IOException("no disk");
              });
      assertThat(broken.status()).isEqualTo(Status.REFUSED);
      assertThat(broken.reason()).isEqualTo("no disk");
      assertThat(log()).isEqualTo("first");
      assertThat(merger.merge(form, "Add a form", GOOD).isThere()).isTrue();
    }
    assertThat(log()).isEqualTo("Add a form\nfirst");
    assertNothingElseChanged();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "merge BRANCH; git add .; git commit -qm merged",
        "rebase BRANCH; git add .; git rebase --continue",
        "-c merge.conflictStyle=diff3 merge BRANCH; git add .; git commit -qm merged"
      })
  void conflictMarkers_blockTheMerge(String command) throws Exception {
    String left = work("left", "a.txt", "mine\n");
    git("branch", "--force", BRANCH, work("other", "a.txt", "yours\n"));
    String script = "export GIT_EDITOR=true; git " + command.replace("BRANCH", BRANCH);
    ProcessSpec.command("sh", "-c", script)
        .directory(folder.resolve("work-left"))
        .run(Duration.ofMinutes(2), Duration.ofSeconds(5), 10_000);
    AtomicInteger checks = new AtomicInteger();
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      Result result =
          merger.merge(
              left,
              "Left",
              at -> {
                checks.incrementAndGet();
                return Verdict.passed();
              });
      assertThat(result.status()).isEqualTo(Status.MARKERS);
      assertThat(result.files()).containsExactly("a.txt");
      assertThat(result.reason()).contains("a.txt");
      assertThat(checks).hasValue(0);
    }
    assertThat(log()).isEqualTo("by an agent\nfirst");
  }

  @Test
  void documentAboutMarkers_isMerged() throws Exception {
    String block = "<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> main\n";
    String doc = work("doc", "guide.md", "Resolve\n" + block + "by hand\n");
    String heading = work("heading", "guide.rst", "Heading\n=======\n\n<<<<<<< is no end\n");
    String mergeCommit = work("merger", "fixture.txt", block);
    git(folder.resolve("work-merger"), "merge", "--quiet", "--no-edit", "heading");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      assertThat(merger.merge(doc, "Doc", GOOD).status()).isEqualTo(Status.MERGED);
      assertThat(merger.merge(heading, "Heading", GOOD).status()).isEqualTo(Status.MERGED);
      assertThat(merger.merge(mergeCommit, "Merger", GOOD).status()).isEqualTo(Status.MERGED);
      String again = work("again", "a.txt", "changed\n" + block.replace("main", "HEAD~1^{/x}"));
      assertThat(merger.merge(again, "Again", GOOD).status()).isEqualTo(Status.MERGED);
    }
    assertThat(log()).isEqualTo("Again\nMerger\nHeading\nDoc\nfirst");
  }

  @Test
  void branchMovedDuringCheck_isCheckedAgain() throws Exception {
    String form = work("form", "form.txt", "form\n");
    String other = work("other", "other.txt", "other\n");
    List<Boolean> sawOther = new ArrayList<>();
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      Result result =
          merger.merge(
              form,
              "Add a form",
              at -> {
                if (sawOther.isEmpty()) {
                  git("update-ref", "refs/heads/" + BRANCH, other);
                }
                sawOther.add(Files.exists(at.resolve("other.txt")));
                return Verdict.passed();
              });
      assertThat(result.status()).isEqualTo(Status.MERGED);
    }
    assertThat(sawOther).containsExactly(false, true);
    assertThat(log()).isEqualTo("Add a form\nby an agent\nfirst");
  }

  @Test
  void concurrentMerges_loseNothing() throws Exception {
    int seats = 3;
    int pieces = 4;
    List<FutureTask<Void>> all = new ArrayList<>();
    for (int seat = 0; seat < seats; seat++) {
      List<String> works = new ArrayList<>();
      for (int piece = 0; piece < pieces; piece++) {
        String name = "w" + seat + "-" + piece;
        works.add(work(name, name + ".txt", name + "\n"));
      }
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
                  for (String work : works) {
                    Result result = merger.merge(work, "Add " + work, GOOD);
                    assertThat(result.status()).as(result.reason()).isEqualTo(Status.MERGED);
                  }
                }
                return null;
              });
      all.add(task);
      new Thread(task, "seat-" + seat).start();
    }
    for (FutureTask<Void> task : all) {
      task.get();
    }
    List<String> commits = git("rev-list", "--first-parent", "--reverse", BRANCH).lines().toList();
    assertThat(commits).hasSize(1 + seats * pieces);
    for (int i = 0; i < commits.size(); i++) {
      assertThat(git("ls-tree", "--name-only", commits.get(i)).lines().count()).isEqualTo(3 + i);
    }
    assertNothingElseChanged();
  }

  @Test
  void checkedOutBranch_isNotMoved() throws Exception {
    String form = work("form", "form.txt", "form\n");
    Path theirs = folder.resolve("theirs");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      BranchMerger.Check meanwhile =
          at -> {
            git("worktree", "add", "--quiet", theirs.toString(), BRANCH);
            return Verdict.passed();
          };
      for (BranchMerger.Check check : List.of(meanwhile, GOOD)) {
        assertThatThrownBy(() -> merger.merge(form, "Add a form", check))
            .isInstanceOf(RalphException.class)
            .hasMessageContaining("checked out in " + theirs)
            .hasMessageContaining("switch --detach");
      }
      assertThat(git(theirs, "status", "--porcelain")).isEmpty();
      git(theirs, "switch", "--quiet", "--detach");
      assertThat(merger.merge(form, "Add a form", GOOD).isThere()).isTrue();
    }
  }

  @Test
  void leftFolder_isRemovedAndHooksAreSkipped() throws Exception {
    String form = work("form", "form.txt", "form\n");
    Path left = repository.resolve(".ralph/worktrees/.landing-999999999-ab");
    git("worktree", "add", "--quiet", "--detach", left.toString(), "main");
    Path hook = repository.resolve(".git/hooks/post-checkout");
    Files.createDirectories(hook.getParent());
    Files.writeString(hook, "#!/bin/sh\ntouch '" + folder + "/ran'\n");
    Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwx------"));
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      assertThat(merger.merge(form, "Add a form", GOOD).isThere()).isTrue();
    }
    assertThat(folder.resolve("ran")).doesNotExist();
    assertThat(left).doesNotExist();
    assertNothingElseChanged();
  }

  @Test
  void interruptedCheck_leavesTheBranchUnchanged() throws Exception {
    String form = work("form", "form.txt", "form\n");
    BranchMerger merger = BranchMerger.onto(repository, BRANCH);
    assertThatThrownBy(
            () ->
                merger.merge(
                    form,
                    "Add a form",
                    at -> {
                      throw new InterruptedException();
                    }))
        .isInstanceOf(InterruptedException.class);
    merger.close();
    assertThat(log()).isEqualTo("first");
    assertThatThrownBy(() -> merger.merge(form, "Add a form", GOOD))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("closed");
    assertNothingElseChanged();
  }

  @Test
  void missingRepositoryBranchOrCommit_isNamed() throws Exception {
    assertThatThrownBy(() -> BranchMerger.onto(folder, BRANCH))
        .hasMessageContaining("a work tree requires a Git repository");
    for (String branch : List.of("nobody", "--all", "", "main^{commit}", "a b")) {
      assertThatThrownBy(() -> BranchMerger.onto(repository, branch))
          .as(branch)
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("has no branch");
    }
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      for (String work : List.of("nobody", "--all", "", "main:a.txt")) {
        assertThatThrownBy(() -> merger.merge(work, "Nothing", GOOD))
            .as(work)
            .isInstanceOf(RalphException.class)
            .hasMessageContaining("no branch or commit");
      }
      String strange = git("commit-tree", "main^{tree}", "-m", "without a past");
      assertThatThrownBy(() -> merger.merge(strange, "Strange", GOOD))
          .isInstanceOf(RalphException.class)
          .hasMessageContaining("unrelated histories");
    }
    assertNothingElseChanged();
  }

  @Test
  void failingBranchOfEight_isFoundByHalving() throws Exception {
    List<BranchMerger.Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "w" + i;
      pieces.add(new BranchMerger.Piece(work(name, name + ".txt", name + "\n"), "Add " + name));
    }
    List<String> tried = new ArrayList<>();
    BranchMerger.Check check =
        at -> {
          boolean isBad = Files.exists(at.resolve("w6.txt"));
          tried.add(isBad ? "red" : "green");
          return isBad ? Verdict.failed("w6 is red") : Verdict.passed();
        };
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      Map<BranchMerger.Piece, Result> results = merger.merge(pieces, check, piece -> true);
      for (int i = 0; i < 8; i++) {
        assertThat(results.get(pieces.get(i)).status())
            .isEqualTo(i == 6 ? Status.REFUSED : Status.MERGED);
      }
      assertThat(results.get(pieces.get(6)).reason()).isEqualTo("w6 is red");
      assertThat(tried).containsExactly("red", "green", "green", "red", "green");
      assertThat(merger.check(check).isPassed()).isTrue();
    }
    assertThat(git("log", "--first-parent", "--format=%s", BRANCH))
        .isEqualTo("Add w7\nMerge 2 pieces of work\nMerge 4 pieces of work\nfirst");
    assertThat(git("log", "--format=%s", BRANCH + "~2^2"))
        .isEqualTo("Add w3\nAdd w2\nAdd w1\nAdd w0\nfirst");
    assertNothingElseChanged();
  }

  @Test
  void equalPieces_haveOneResult() throws Exception {
    BranchMerger.Piece page = new BranchMerger.Piece(work("page", "page.txt", "page\n"), "Page");
    try (BranchMerger merger = BranchMerger.onto(repository, BRANCH)) {
      assertThat(merger.merge(List.of(page, page), GOOD, piece -> true))
          .hasEntrySatisfying(page, result -> assertThat(result.isThere()).isTrue())
          .hasSize(1);
      assertThat(merger.merge(List.of(), GOOD, piece -> true)).isEmpty();
    }
    assertThat(git("log", "--first-parent", "--format=%s", BRANCH)).isEqualTo("Page\nfirst");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "t7 t10     | Merge t7, t10",
        "t7 - t10   | Merge t7, t10 and 1 more",
        "- -        | Merge 2 pieces of work",
      })
  void mergeCommit_namesItsBranches(String names, String title) {
    List<BranchMerger.Piece> pieces =
        Stream.of(names.split(" "))
            .map(name -> new BranchMerger.Piece("w", "Add x\n\nbody", name.replace("-", "")))
            .toList();
    assertThat(MergeBatch.mergeMessage(pieces))
        .isEqualTo(title + "\n" + "\n- Add x".repeat(pieces.size()));
  }

  @Test
  void mergeOfManyBranches_hasAShortTitle() {
    List<BranchMerger.Piece> pieces =
        IntStream.rangeClosed(1, 1000)
            .mapToObj(i -> new BranchMerger.Piece("w", "x", "t" + i))
            .toList();
    String title = MergeBatch.mergeMessage(pieces).lines().findFirst().orElseThrow();
    assertThat(title).startsWith("Merge t1, t2, t3").endsWith(" more").hasSizeLessThan(72);
  }
}
