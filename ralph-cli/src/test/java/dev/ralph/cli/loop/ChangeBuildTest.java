package dev.ralph.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.Ralph;
import dev.ralph.cli.Terminal;
import dev.ralph.cli.Terminal.Result;
import dev.ralph.core.internal.process.CommandResult;
import dev.ralph.core.internal.process.Git;
import dev.ralph.openspec.internal.ChangeSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ralph build --change} with a real process as agent. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ChangeBuildTest {

  private static final String TASKS =
      "## 1. Doors\n- [ ] 1.1 a door\n- [ ] 1.2 a lock\n\n## 2. Windows\n- [ ] 2.1 a window\n";

  @TempDir Path folder;
  private Terminal terminal;
  private Path tasks;

  @BeforeEach
  void makeAChange() throws IOException {
    terminal = new Terminal(folder);
    Files.createDirectory(folder.resolve(".git")); // ends the search for a store
    Path change = Files.createDirectories(folder.resolve("openspec/changes/add-house"));
    tasks = change.resolve("tasks.md");
    Files.writeString(tasks, TASKS);
    Files.writeString(change.resolve("proposal.md"), "## Why\nTo sleep.\n");
    Files.writeString(
        folder.resolve("openspec/verify"),
        "test: sh -c 'test ! -e broken || { ls broken; exit 4; }'\n");
    Files.writeString(
        folder.resolve("tick.sh"),
        "cat >prompt\n"
            + "grep -q 'gate failed' prompt && { rm -f broken; exit 0; }\n"
            + "n=$(grep -n -m1 '\\[ ]' "
            + tasks
            + " | cut -d: -f1)\n"
            + "[ -z \"$n\" ] || { sed -i \"${n}s/\\[ ]/[x]/\" "
            + tasks
            + "; echo ticked line $n; }\n");
  }

  private Result build(String... more) {
    List<String> words =
        new ArrayList<>(
            List.of("build", "--change", "add-house", "--agent", "sh tick.sh", "--yes"));
    words.addAll(List.of(more));
    return terminal.call(words.toArray(new String[0]));
  }

  @Test
  void change_isBuiltStoryByStory() throws IOException {
    Files.createFile(folder.resolve("broken"));
    Result result = build("--iterations", "9");

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    String session = named();
    assertThat(result.out().replaceAll("\\b(\\d+m)?\\d+(\\.\\d)?s\\b", "TIME"))
        .isEqualTo(
            """
            Story 1. Doors (1 of 2)

            S - Iteration #1...
              ticked line 2
            Done!

            S - Iteration #2...
              ticked line 3
            Done!

            completion refused: gate failed: the project's checks and tests
              sh -c test ! -e broken || { ls broken; exit 4; } failed with exit code 4
              Its last lines:
              broken
            S - Iteration #3...
            Done!

            gate passed: the project's checks and tests
            story 1 of 2 is complete

            Story 2. Windows (2 of 2)

            S - Iteration #4...
              ticked line 6
            Done!

            gate passed: the project's checks and tests
            story 2 of 2 is complete

            S: tasks: 3 completed; 4 iterations, TIME
            S: loop ended: completed after 4 iterations: all stories of add-house are complete
            """
                .replace("S ", session + " ")
                .replace("S:", session + ":"));
    assertThat(tasks).hasContent(TASKS.replace("[ ]", "[x]"));
    assertThat(terminal.call("tasks", "-n", session).out().lines()).hasSize(3);
  }

  @Test
  void missingChecks_areNamedByGate() throws IOException {
    Files.delete(folder.resolve("openspec/verify"));
    assertThat(build().out()).contains("gate passed: the project's checks and tests: none found\n");
  }

  @Test
  void agentCommands_knowSessionStoreAndStory() throws IOException {
    Files.writeString(
        folder.resolve("env.sh"), "env | grep ^RALPH_S | sort >>variables\nsh tick.sh\n");
    Result result =
        terminal.call("build", "--yes", "--change", "add-house", "--agent", "sh env.sh");
    assertThat(result.code()).as(result.err()).isZero();

    String story = "RALPH_SESSION=" + named() + "\nRALPH_STORE=" + folder + "/.ralph/store\n";
    assertThat(folder.resolve("variables"))
        .hasContent((story + "RALPH_STORY=1\n").repeat(2) + story + "RALPH_STORY=2\n");
  }

  @Test
  void interruptedChange_printsWorkingNextCommand() {
    Result result = build("-i", "1");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out())
        .contains("max_iterations after 1 iteration: 0 of 2 stories are complete; story 1: 1 task")
        .containsPattern(
            "continue with: ralph build -n add-house-\\w{8} --change add-house --agent");

    assertThat(build("--json").out().lines().reduce((a, b) -> b).orElseThrow())
        .contains("\"kind\":\"change_ended\"")
        .contains("\"reason\":\"completed\",\"iterations\":2");
    assertThat(terminal.call("sessions").out().lines()).as("one session for both runs").hasSize(1);
  }

  /** The session contains only the tasks of started stories. */
  @Test
  void status_countsWholeChange() {
    terminal.terminals("01");
    Result result = build("-i", "1");

    assertThat(result.out())
        .contains("  tasks: 0 of 2 stories, 0 of 3 tasks done\n")
        .contains("1 of 3 tasks done")
        .doesNotContain("of 2 tasks done");
    assertThat(terminal.call("status", "-n", named()).out())
        .contains("\n  tasks       1 of 2 completed")
        .contains("\n  change      0 of 2 stories, 1 of 3 tasks done");
    build();
    assertThat(terminal.call("status", "-n", named(), "--json").out())
        .contains("\"change\":{\"stories\":2,\"stories_done\":2,\"tasks\":3,\"tasks_done\":3}");
    assertThat(terminal.call("status", "-n", named(), "--at", "1h").out()).doesNotContain("change");
    terminal.call("task", "add", "-n", "other", "one");
    assertThat(terminal.call("status", "-n", "other").out()).doesNotContain("change");
  }

  @Test
  void dryRun_showsPromptAndCreatesNothing() {
    Result result = build("--dry-run", "--extra", "In German, please.");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("1. Doors, 1 of 2; 0 of 2 tasks are ticked.")
        .contains("- [t1] 1.1 a door\n")
        .contains("<proposal>\n## Why\nTo sleep.\n</proposal>")
        .contains("  - sh -c 'test ! -e broken")
        .contains("In German, please.")
        .contains("task done");
    assertThat(folder.resolve(".ralph")).doesNotExist();

    build("-i", "1");
    assertThat(build("--dry-run").out())
        .contains("1 of 2 tasks are ticked")
        .contains("- [t2] 1.2 a lock");
    assertThat(terminal.call("iterations", "-n", named()).out().lines()).hasSize(1);
  }

  @Test
  void dryRun_reportsTasksChangedInFile() throws IOException {
    assertThat(build("-i", "1").code()).isEqualTo(3);
    assertThat(build("--dry-run").err()).isEmpty();
    Files.writeString(tasks, Files.readString(tasks).replace("1.2 a lock", "1.3 a bell"));
    assertThat(build("--dry-run").err())
        .isEqualTo(
            "ralph: the tasks shown are from the last run; the next run starts with"
                + " tasks.md\n");
  }

  @Test
  void dryRunOfCompletedChange_saysComplete() {
    assertThat(build().code()).isZero();
    Result result = build("--dry-run");
    assertThat(result.code()).isZero();
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("all stories of add-house are complete");
  }

  @Test
  void projectWithoutChecks_isWarnedAbout() throws IOException {
    String warning = "no checks found in a build file";
    assertThat(build("-i", "1").err()).doesNotContain(warning);
    Files.delete(folder.resolve("openspec/verify"));
    assertThat(build("-i", "1").err()).contains(warning);
    assertThat(build("-i", "1", "--gate", "true").err()).doesNotContain(warning);
  }

  private String named() {
    return terminal.call("sessions", "--json").out().replaceAll(".*(add-house-\\w{8}).*\n", "$1");
  }

  @Test
  void invalidChangeBuild_isExplained() throws IOException {
    assertThat(terminal.call("build", "--change", "add-hous", "--agent", "true").err())
        .contains("no change 'add-hous'", "available: add-house");
    assertThat(build("-p", "do it").err()).contains("--change has its own prompt");
    assertThat(build("-s", "x.md").err()).contains("--change defines the work");
    assertThat(build("-n", "other").code()).isEqualTo(1);
    assertThat(terminal.call("build", "--yes", "--change", "add-house", "--agent", "nowhere").err())
        .contains("'nowhere'");
    for (String none : List.of("nothing\n", "## 1. Doors\n* 1.1 a door\n")) {
      Files.writeString(tasks, none);
      assertThat(build().code()).isEqualTo(1);
      assertThat(build().err()).contains("has no tasks", "'## 1. Title'", "'- [ ] 1.1 DESCRIPTION");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"add-house/", "openspec/changes/add-house", "openspec/changes/add-house/"})
  void changeName_mayBeCompletedPath(String given) {
    Result dry = terminal.call("build", "--change", given, "--agent", "true", "--dry-run");
    assertThat(dry.out()).as(dry.err()).contains("Change: add-house, in ");
    assertThat(terminal.call("agent", "session", "init", "--change", given).out())
        .contains("\"change_name\":\"add-house\"");
  }

  @Test
  void archivedChange_isReportedWithRemedy() throws IOException {
    String ticks = Files.readString(folder.resolve("tick.sh"));
    Files.writeString(
        folder.resolve("tick.sh"),
        "mkdir openspec/changes/archive; cd openspec/changes; mv add-house archive/2026-01-02-add-house");
    Result result = build();
    assertThat(result.code()).isEqualTo(1);
    String changes = folder + "/openspec/changes/";
    String moved = changes + "archive/2026-01-02-add-house";
    assertThat(result.err())
        .endsWith(
            "ralph: the change add-house is archived, as "
                + moved
                + "; to continue the change, move the folder back: mv "
                + moved
                + " "
                + changes
                + "add-house\n");
    Files.move(Path.of(moved), Path.of(changes, "add-house"));
    Files.writeString(folder.resolve("tick.sh"), ticks);
    assertThat(build().code()).isZero();
  }

  @Test
  void changeHeldByProcess_isRefused() throws Exception {
    makeARepository();
    try (Ralph ralph = Ralph.open(folder.resolve(".ralph/store"))) {
      ProcessHandle other = ProcessHandle.current().parent().orElseThrow();
      ChangeSession theirs = ChangeSession.begin(ralph, folder, "add-house", other);

      Result result = build();
      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err()).contains("session " + theirs.name(), "process " + other.pid());
      assertThat(tasks).hasContent(TASKS);
      assertThat(build("--worktree").err()).contains("session " + theirs.name());
      assertThat(folder.resolve(".ralph/worktrees")).doesNotExist();

      theirs.leave();
      assertThat(build().code()).isZero();
    }
  }

  // ---- in a work tree

  private String git(String... arguments) throws InterruptedException {
    CommandResult answer = new Git(folder, Duration.ofMinutes(2)).run(arguments);
    assertThat(answer.isGood()).as(String.join(" ", arguments) + ": " + answer.why()).isTrue();
    return answer.line();
  }

  private void makeARepository() throws IOException, InterruptedException {
    Files.delete(folder.resolve(".git"));
    git("init", "--quiet", "-b", "main");
    git("config", "user.name", "Somebody");
    git("config", "user.email", "somebody@example.org");
    Files.writeString(
        folder.resolve("tick.sh"),
        """
        cat >prompt.txt
        grep -q 'gate failed' prompt.txt && exit 0
        t=openspec/changes/add-house/tasks.md
        n=$(grep -n -m1 '\\[ ]' $t | cut -d: -f1)
        [ -z "$n" ] || sed -i "${n}s/\\[ ]/[x]/" $t
        echo work >> house.txt
        [ ! -e "$FAIL" ] || exit 1
        """);
    Files.writeString(folder.resolve(".gitignore"), "prompt.txt\nbroken\n");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
  }

  @Test
  void workTreeBuild_commitsStoriesAndKeepsCheckout() throws Exception {
    makeARepository();
    Files.writeString(folder.resolve("mine.txt"), "not committed\n");
    Path broken = folder.resolve(".git/once");
    Files.createFile(broken);
    String gate = "sh -c 'test ! -e " + broken + " || { rm " + broken + "; exit 1; }'";
    Result result = build("--worktree", "--gate", gate);

    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.out()).contains("completion refused: gate failed with exit code 1: sh -c");
    assertThat(result.out()).endsWith("complete; the work is on the branch ralph/add-house\n");
    assertThat(result.err())
        .contains("1 file changed in " + folder + " but not committed")
        .contains("working in " + folder + "/.ralph/worktrees/add-house, on the branch");
    assertThat(git("log", "--format=%s", "ralph/add-house")).isEqualTo("Windows\nDoors\nfirst");
    assertThat(git("log", "-1", "--format=%b", "ralph/add-house~1"))
        .isEqualTo("- a door\n- a lock\n\nStory 1 of the change add-house");
    assertThat(git("show", "ralph/add-house:openspec/changes/add-house/tasks.md"))
        .isEqualTo(TASKS.replace("[ ]", "[x]").strip());
    assertThat(git("ls-tree", "-r", "--name-only", "ralph/add-house")).doesNotContain(".ralph");
    assertThat(git("status", "--porcelain")).isEqualTo("?? mine.txt");
    assertThat(git("log", "--format=%s", "main")).isEqualTo("first");
    assertThat(tasks).hasContent(TASKS);
  }

  @Test
  void dryRun_namesUnmergedCommits() throws Exception {
    makeARepository();
    assertThat(build("--worktree", "--dry-run").err()).doesNotContain("not merged");
    assertThat(build("--worktree").code()).isZero();
    String remedy = " not merged into your branch; to merge: ralph branch merge add-house\n";
    assertThat(build("--worktree", "--dry-run").err())
        .contains("the branch ralph/add-house has 2 commits that are" + remedy);

    git("merge", "--quiet", "ralph/add-house");

    assertThat(build("--worktree", "--dry-run").err()).doesNotContain("not merged");
  }

  @Test
  void workDoneElsewhere_isWarnedAbout() throws Exception {
    makeARepository();
    String here = "openspec/changes/add-house/tasks.md";
    assertThat(build("-i", "1").err()).doesNotContain("will be repeated");

    assertThat(build("--worktree", "-i", "2").err())
        .contains(
            "warning: 1 task ticked in "
                + folder.resolve(here)
                + " is not ticked in the work tree and will be repeated; to keep the work,"
                + " commit it here and merge it there\n");
    assertThat(build("-i", "1").err())
        .contains(
            "warning: 1 task ticked in "
                + folder.resolve(".ralph/worktrees/add-house").resolve(here)
                + " is not ticked here and will be repeated; --worktree continues there\n");
    assertThat(build("--worktree").err()).doesNotContain("will be repeated");
  }

  private void assertRefused(String[] options, String... words) throws Exception {
    String before = git("rev-parse", "ralph/add-house");
    Result result = build(options);
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(1);
    assertThat(result.err()).contains(words);
    assertThat(result.out()).doesNotContain("Iteration");
    assertThat(git("rev-parse", "ralph/add-house")).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--worktree", "--agents=2"})
  void branchOfForeignStore_isRefused(String place) throws Exception {
    makeARepository();
    String[] own = {"--worktree", "-i", "1"};
    String[] other = {"--store", ".git/other", place, "-i", "1"};
    assertThat(build(own).code()).isEqualTo(3);

    assertRefused(
        other,
        "the branch ralph/add-house belongs to another session",
        "ralph branch discard add-house");

    assertThat(build(own).code()).isEqualTo(3);
    assertThat(terminal.call("branch", "discard", "add-house", "--force").code()).isZero();
    assertThat(build(other).err()).doesNotContain("another session");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--worktree", "--agents=2"})
  void markerWithoutId_isAdoptedByStartedChange(String place) throws Exception {
    makeARepository();
    String[] words = {place, "-i", "1"};
    git("branch", "ralph/add-house");
    git("update-ref", "refs/ralph/add-house/accepted", "HEAD");
    assertRefused(words, "another session");

    assertThat(build("-i", "1").code()).isEqualTo(3);
    git("checkout", "-q", "--", ".");
    assertThat(build(words).err()).doesNotContain("another session");
    assertThat(git("for-each-ref", "refs/ralph/add-house/session")).hasLineCount(1);
  }

  @Test
  void deletedSession_releasesBranchOfChange() throws Exception {
    makeARepository();
    assertThat(build("--worktree").code()).isZero();
    String ended = named();
    git("merge", "--quiet", "ralph/add-house");
    Files.writeString(tasks, Files.readString(tasks) + "- [ ] 2.2 a blind\n- [ ] 2.3 a shutter\n");
    git("commit", "--quiet", "-a", "-m", "more");
    String[] words = {"--worktree", "-i", "1"};
    assertThat(build(words).code()).isEqualTo(3);
    String newest =
        Pattern.compile("add-house-\\w{8}")
            .matcher(terminal.call("sessions", "--json").out())
            .results()
            .map(MatchResult::group)
            .filter(name -> !name.equals(ended))
            .findFirst()
            .orElseThrow();

    assertThat(terminal.call("delete", "-n", ended, "--yes").err()).doesNotContain("ralph/");
    assertThat(build(words).err()).doesNotContain("another session", "did not create");
    assertThat(terminal.call("delete", "-n", newest, "--yes").err())
        .contains("ralph branch discard add-house");

    assertThat(git("for-each-ref", "refs/ralph/add-house")).isEmpty();
    assertRefused(words, "did not create it", "git branch -m ralph/add-house");
  }

  @Test
  void failedStory_isSetAsideAndRestarted() throws Exception {
    makeARepository();
    Path fail = folder.resolve("broken");
    Terminal failing = terminal.with("FAIL", fail.toString());
    String[] words = {
      "build",
      "--change",
      "add-house",
      "--agent",
      "env FAIL=" + fail + " sh tick.sh",
      "--worktree",
      "--max-failures",
      "1",
      "--yes"
    };
    Files.createFile(fail);
    Result result = failing.call(words);
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(5);
    assertThat(result.out())
        .contains("unfinished work of story 1 is on the branch ralph/add-house-story-1-failed-1");
    assertThat(git("show", "ralph/add-house-story-1-failed-1:house.txt")).isEqualTo("work");
    assertThat(git("log", "--format=%s", "ralph/add-house")).isEqualTo("first");

    Files.delete(fail);
    assertThat(failing.call(words).code()).isZero();
    assertThat(git("log", "--format=%s", "ralph/add-house")).isEqualTo("Windows\nDoors\nfirst");
    assertThat(git("show", "ralph/add-house:house.txt")).isEqualTo("work\nwork\nwork");
    assertThat(git("branch", "--list", "*failed*")).contains("ralph/add-house-story-1-failed-1");
  }

  @Test
  void rejectingCommitHook_isShown() throws Exception {
    makeARepository();
    Path hook = folder.resolve(".git/hooks/pre-commit");
    Files.writeString(hook, "#!/bin/sh\necho 'no tests for doors' >&2\nexit 1\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    Result result = build("--worktree", "-i", "4");
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(3);
    assertThat(result.out())
        .containsPattern("completion refused: gate failed[^:]*: pre-commit")
        .containsOnlyOnce("no tests for doors");
  }

  @Test
  void uncommittedChange_isMissingInWorkTree() throws Exception {
    makeARepository();
    git("rm", "-r", "-q", "--cached", "openspec");
    git("commit", "--quiet", "-m", "without");
    Result result = build("--worktree");
    assertThat(result.code()).isEqualTo(1);
    String tree = folder + "/.ralph/worktrees/add-house merge ";
    assertThat(result.err()).contains("has no change 'add-house'", "run: git -C " + tree + "YOUR");

    git("add", "openspec");
    git("commit", "--quiet", "-m", "with");
    assertThat(build("--worktree").code()).isZero();
  }

  @Test
  void commitTitle_satisfiesCommitMsg() throws Exception {
    makeARepository();
    Path hook = folder.resolve(".git/hooks/commit-msg");
    Files.writeString(hook, "#!/bin/sh\ngrep -q '^feat: [a-z]' \"$1\"\n");
    assertThat(hook.toFile().setExecutable(true)).isTrue();
    String[] auth = {
      "build", "-n", "auth", "--worktree", "--yes", "--agent", "true", "--gate", "sh tick.sh"
    };
    terminal.call("task", "add", "--create", "-n", "auth", "a form");
    terminal.call("task", "done", "-n", "auth", "t1");

    Result result = terminal.call(auth);
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.err()).containsOnlyOnce("commit-msg refuses the title");
    Files.writeString(folder.resolve(".ralph.conf"), "commit-title = feat: {lower-title}\n");
    result = terminal.call(auth);
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(result.err()).doesNotContain("commit-msg refuses");
    assertThat(git("log", "--format=%s", "ralph/auth"))
        .isEqualTo("feat: complete auth\nComplete auth\nfirst");

    result =
        terminal.call("build", "-n", "auth", "--worktree", "--yes", "--commit-title", "{titel}");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--commit-title").contains("{lower-title}");
  }

  @Test
  void session_isBuiltInWorkTree() throws Exception {
    makeARepository();
    terminal.call("task", "add", "--create", "-n", "auth", "a form");
    terminal.call("task", "done", "-n", "auth", "t1");
    terminal.call("complete", "-n", "auth");
    Files.createDirectory(folder.resolve("specs"));
    Files.writeString(folder.resolve("specs/SPEC.md"), "# A spec\n");
    Result result =
        terminal.call(
            "build", "-n", "auth", "--worktree", "--agent", "true", "--gate", "sh tick.sh");
    assertThat(result.code()).as(result.out() + result.err()).isZero();
    assertThat(git("log", "--format=%s", "ralph/auth")).isEqualTo("Complete auth\nfirst");
    assertThat(git("show", "ralph/auth:house.txt")).isEqualTo("work");
    assertThat(folder.resolve("house.txt")).doesNotExist();
    assertThat(result.err()).doesNotContain("no new commit");
    assertThat(terminal.call("build", "-n", "auth", "--agent", "true", "--dry-run").err())
        .contains("ralph/auth has 1 commit that is not merged", "ralph branch merge auth");

    terminal.call("complete", "-n", "auth");
    String gate = "sh -c 'echo lost >house.txt; git stash -q'";
    result =
        terminal.call(
            "build", "-n", "auth", "--worktree", "-i", "1", "--agent", "true", "--gate", gate);
    assertThat(result.code()).as(result.out() + result.err()).isEqualTo(3);
    assertThat(result.out())
        .contains("completion refused")
        .contains("changes are in the stash (git stash list) and not on ralph/auth");
    assertThat(git("stash", "list")).hasLineCount(1);
  }
}
