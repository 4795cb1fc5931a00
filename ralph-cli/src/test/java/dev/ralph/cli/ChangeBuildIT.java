package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs {@code ralph build --change --worktree} as a process, which tests kill repeatedly and run
 * concurrently.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ChangeBuildIT {

  private static final String TASKS =
      """
      ## 1. Doors
      - [ ] 1.1 a door
      - [ ] 1.2 a lock

      ## 2. Windows
      - [ ] 2.1 a window
      - [ ] 2.2 a sill

      ## 3. Roof
      - [ ] 3.1 a roof
      - [ ] 3.2 a chimney
      """;

  private static final String ALL_TICKED = TASKS.replace("[ ]", "[x]");

  /**
   * Completes the first open task of the story once, even if an earlier run was killed during the
   * task. Records a learning for each story. The first window fails a gate until the agent fixes
   * it. The last task waits for a file of the test, so no run ends before the test allows it.
   */
  private static final String AGENT =
      """
      prompt=$(cat)
      session=$(printf '%s\\n' "$prompt" | sed -n 's/^- Session: //p')
      tasks=openspec/changes/add-house/tasks.md
      touch house.txt
      case $prompt in *'gate failed'*) sed -i 's/ sticks//' house.txt; exit;; esac
      story=$(printf '%s\\n' "$prompt" | sed -n '/^## Story$/{n;s/\\..*//p}')
      line=$(grep -n -m1 "\\[ ] $story\\." $tasks) || exit 0
      id=$(printf '%s' "$line" | sed 's/.*] \\([0-9.]*\\) .*/\\1/')
      grep -q "^$id" house.txt || echo "$id$(test "$id" != 2.1 || echo ' sticks')" >>house.txt
      case $id in 3.2) touch ../waits; until [ -e ../leave ]; do sleep 0.05; done;; esac
      case $id in *.2)
        "$RALPH" notes -n "$session" | grep -q "learned at $id" ||
          "$RALPH" note add -n "$session" --type learning "learned at $id";;
      esac
      sed -i "${line%%:*}s/\\[ ]/[x]/" $tasks
      """;

  /**
   * An agent of several. Completes its assigned task, ticks the task list too, and waits once for a
   * file of the test.
   */
  private static final String ONE_OF_SEVERAL =
      """
      prompt=$(cat)
      id=$(printf '%s\\n' "$prompt" | sed -n '/^Your task is t/{n;s/ .*//p}')
      test -n "$id" || exit 0
      mkdir -p done
      echo "$id" >done/$id
      sed -i 's/\\[ ]/[x]/' openspec/changes/add-house/tasks.md
      case $id in 2.*) touch ../waits; until [ -e ../leave ]; do sleep 0.05; done;; esac
      "$RALPH" agent task done "$id"
      """;

  /** A gate that requires {@code done/ID} for exactly the ticked tasks. */
  private static final String TICKED_IS_THERE =
      """
      for id in 1.1 1.2 2.1 2.2 3.1 3.2; do
        if grep -q "\\[x] $id" openspec/changes/add-house/tasks.md
        then test -e done/$id || exit 1
        else test ! -e done/$id || exit 1
        fi
      done
      """;

  /** The numbers of frames after which the test kills the loop. */
  private static final int[] KILLS = {4, 9, 12, 11, 8};

  /**
   * Fewer kills for the other store: the loop behaves the same, and the store has its own tests.
   */
  private static final int[] FEWER_KILLS = {13, 20};

  /** Files beside the work trees: the agent waits for the test, and may continue. */
  private static final String WAITS = ".ralph/worktrees/waits";

  private static final String LEAVE = ".ralph/worktrees/leave";

  private static final String BEGUN = ".ralph/worktrees/begun";

  /** The number of races between two sessions for a work tree. */
  private static final int ROUNDS = 5;

  @TempDir static Path folder;
  private static Checkout shared;
  private static @Nullable String whole;
  private Checkout checkout;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @AfterEach
  void nothingIsLeft() {
    List<String> left = checkout.left();
    checkout.clear();
    assertThat(left).as("processes left").isEmpty();
  }

  /** Creates a small repository with a committed change. */
  private void moveIn(String name, String kind) throws Exception {
    checkout = shared.elsewhere(name);
    checkout.with("RALPH_STORE", kind + checkout.work().resolve(".ralph/store"));
    Files.createDirectories(checkout.work().resolve("openspec/changes/add-house"));
    Files.createDirectories(checkout.work().resolve(".ralph/worktrees"));
    checkout.file("openspec/changes/add-house/tasks.md", TASKS);
    checkout.file("openspec/changes/add-house/design.md", "## Context\n");
    checkout.file("openspec/verify", "test: sh check.sh\n");
    checkout.file("check.sh", "! grep sticks house.txt\n");
    checkout.file("agent.sh", AGENT);
    Exit git =
        checkout.shell(
            "set -e; git init -q -b main; git config user.name A; git config user.email a@localhost\n"
                + "git config commit.gpgsign false; git add -A; git commit -qm 'Plan a house'");
    assertThat(git.code()).as(git.err()).isZero();
  }

  private Started build() throws IOException {
    return checkout.start(
        "build", "--yes", "--change", "add-house", "--worktree", "--agent", "sh agent.sh");
  }

  /** Allows agents to complete the last task. */
  private void leave() throws IOException {
    checkout.file(LEAVE, "");
  }

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- kills

  /** Returns the result of an uninterrupted run. */
  private String whole() throws Exception {
    if (whole == null) {
      moveIn("whole", "");
      leave();
      Exit exit = build().exit();
      assertThat(exit.code()).as(exit.toString()).isZero();
      whole = end();
      assertThat(whole)
          .startsWith(
              """
              Record the learnings of add-house
              Roof
              Windows
              Doors
              Plan a house
              """);
      nothingIsLeft();
    }
    return whole;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "chronicle:"})
  @Tag("slow")
  void repeatedlyKilledBuild_reachesEqualResult(String kind) throws Exception {
    String end = whole();
    moveIn("killed" + kind.length(), kind);
    assertThat(checkout.ralph("task", "add", "-n", "another", "--create", "a task").code())
        .isZero();
    Started frames = checkout.start("log", "--follow");
    Path waits = checkout.work().resolve(WAITS);
    for (int more : kind.isEmpty() ? KILLS : FEWER_KILLS) {
      Files.deleteIfExists(waits);
      long until = lines(frames.out()) + more;
      Started build = build();
      Checkout.await(
          "frame " + until,
          () -> lines(frames.out()) >= until || Files.exists(waits) || !build.process().isAlive());
      build.process().destroyForcibly();
      Exit exit = build.exit();
      assertThat(exit.code()).as(more + " frames: " + exit).isEqualTo(137);
    }
    leave();
    Exit last = build().exit();
    frames.signal("KILL");
    frames.exit();

    assertThat(last.code()).as(last.toString()).isZero();
    assertThat(end()).isEqualTo(end);
    assertThat(checkout.ralph("sessions").out()).hasLineCount(2);
    assertThat(checkout.ralph("verify").out()).isEqualTo("No damage\n");
  }

  @Test
  void killedBuildWithTwoAgents_losesNoTick() throws Exception {
    moveIn("several", "");
    checkout.file("check.sh", TICKED_IS_THERE);
    checkout.file("agent.sh", ONE_OF_SEVERAL);
    assertThat(checkout.shell("git commit -qam 'Check what is ticked'").code()).isZero();
    Started killed = several();
    Checkout.await("an agent to wait", () -> Files.exists(checkout.work().resolve(WAITS)));
    killed.process().destroyForcibly();
    killed.exit();
    leave();

    Exit last = several().exit();

    assertThat(last.code()).as(last.toString()).isZero();
    assertThat(last.out())
        .contains("all stories of add-house are complete")
        .contains("commits from ralph/add-house into main");
    assertThat(checkout.work().resolve("openspec/changes/add-house/tasks.md"))
        .hasContent(ALL_TICKED);
    Exit each =
        checkout.shell(
            "set -e; git worktree add -q --detach look main; cd look\n"
                + "for at in $(git rev-list --first-parent main)\n"
                + "do git reset -q --hard $at; sh check.sh; done\n"
                + "git log --format=%s main");
    assertThat(each.code()).as(each.toString()).isZero();
    assertThat(each.out()).containsOnlyOnce("1.1 a door").containsOnlyOnce("2.2 a sill");
    assertThat(checkout.ralph("agent", "status", "--session", session()).out())
        .contains("\"change_complete\":true");
  }

  private Started several() throws IOException {
    return checkout.start(
        "build", "--yes", "--change", "add-house", "--agents", "2", "--agent", "sh agent.sh");
  }

  private String session() throws Exception {
    return checkout.ralph("sessions").out().strip().split("\\s+")[0];
  }

  /**
   * Asserts the properties of every finished run, and returns its commits and learnings without
   * names and times.
   */
  private String end() throws Exception {
    String change = "openspec/changes/add-house/";
    String branch = "ralph/add-house:" + change;
    assertThat(checkout.shell("git show " + branch + "tasks.md").out()).isEqualTo(ALL_TICKED);
    String design = checkout.shell("git show " + branch + "design.md").out();
    for (String task : List.of("1.2", "2.2", "3.2")) {
      assertThat(design).containsOnlyOnce("- learned at " + task);
    }
    assertThat(checkout.shell("git status --porcelain; git log --format=%s main").out())
        .as("unchanged checkout")
        .isEqualTo("Plan a house\n");
    assertThat(checkout.work().resolve(change + "tasks.md")).hasContent(TASKS);
    Exit commits =
        checkout.shell(
            "set -e; git log --format=%s ralph/add-house; git log -p --format=%B ralph/add-house"
                + " -- . ':!"
                + change
                + "design.md'; git -C .ralph/worktrees/add-house status --porcelain");
    assertThat(commits.code()).as(commits.err()).isZero();
    return commits.out() + design.replaceAll("\\d{4}-\\d\\d-\\d\\d", "DATE");
  }

  // ---- commands for agents

  @Test
  void agentCommands_needNoConfigurationInLoop() throws Exception {
    moveIn("told nothing", "");
    checkout.file(
        "agent.sh",
        """
        touch house.txt
        "$RALPH" agent session next-story 2>../refused
        "$RALPH" agent context >../context
        id=$(grep -o '"id":"[^"]*","description":"[^"]*","complete":false' ../context |
          head -n 1 | cut -d'"' -f4)
        "$RALPH" agent task done 9.9 2>/dev/null
        "$RALPH" agent learn "learned at $id" --task "$id" && "$RALPH" agent task done "$id"
        "$RALPH" tasks >../tasks
        """);
    checkout.shell("git commit -qam 'Use the commands'");
    Exit exit = build().exit();

    assertThat(exit.code()).as(exit.toString()).isZero();
    assertThat(exit.out())
        .contains("completed after 6 iterations: ", "; 6 learnings were added to");
    Path outside = checkout.work().resolve(".ralph/worktrees");
    assertThat(outside.resolve("refused"))
        .content()
        .contains("LOCKED", "selects the next story after the checks of this story");
    assertThat(outside.resolve("tasks")).content().contains("3.2 a chimney");
  }

  // ---- races

  @Test
  void concurrentBuildsOfChange_secondNamesOwner() throws Exception {
    moveIn("raced", "");
    List<Started> both = new ArrayList<>(List.of(build(), build()));
    Checkout.await("a refusal", () -> both.stream().anyMatch(each -> !each.process().isAlive()));
    Started refused = both.get(both.get(0).process().isAlive() ? 1 : 0);
    Started begun = both.get(1 - both.indexOf(refused));
    Exit exit = refused.exit();
    assertThat(exit.code()).as(exit.toString()).isEqualTo(1);
    assertThat(exit.err().lines().reduce((first, second) -> second).orElse(""))
        .matches(
            "ralph: the change add-house is already claimed by session add-house-\\w{8}, while"
                + " process "
                + begun.process().pid()
                + " on \\S+ runs");
    assertThat(begun.process().isAlive()).isTrue();

    leave();
    exit = begun.exit();
    assertThat(exit.code()).as(exit.toString()).isZero();
    assertThat(end()).startsWith("Record the learnings of add-house\nRoof\n");
  }

  /** In a hook, the agent's commits would go to the checked-out branch. */
  @Test
  void buildInGitHook_explainsVariablesToUnset() throws Exception {
    moveIn("a hook", "");
    String[] words = {"build", "-p", "x", "--worktree", "-n", "a", "-i", "1", "--agent", "true"};
    String hook =
        "printf '%s\\n' \"$GIT_INDEX_FILE\" >index; \"$RALPH\" " + String.join(" ", words);
    checkout.file(".git/hooks/post-commit", "#!/bin/sh\n" + hook + "\n");
    Exit git =
        checkout.shell("chmod +x .git/hooks/post-commit; git commit -q --allow-empty -m again");
    assertThat(checkout.work().resolve("index")).content().isNotBlank();
    assertThat(git.err()).contains("GIT_INDEX_FILE").contains("env -u ");

    checkout.file(
        ".git/hooks/post-commit",
        "#!/bin/sh\n" + hook.replace("; ", "; env -u GIT_DIR -u GIT_INDEX_FILE ") + "\n");
    git = checkout.shell("git commit -q --allow-empty -m 'and again'");
    assertThat(git.err()).contains("on the branch ralph/a").doesNotContain("env -u");
  }

  @Test
  void concurrentBuildsInWorkTree_secondIsRefused() throws Exception {
    moveIn("one tree", "");
    checkout.file("waits.sh", "echo $$ >>../begun\nuntil [ -e ../leave ]; do sleep 0.05; done\n");
    String[] words = {
      "build", "-p", "x", "--worktree", "-n", "a", "-i", "1", "--agent", "sh ../../../waits.sh"
    };
    for (int round = 0; round < ROUNDS; round++) {
      checkout.shell("rm -rf .ralph/worktrees/*; git worktree prune; git branch -D ralph/a");
      List<Started> both = List.of(checkout.start(words), checkout.start(words));
      Checkout.await("a refusal", () -> both.stream().anyMatch(each -> !each.process().isAlive()));
      Started refused = both.get(both.get(0).process().isAlive() ? 1 : 0);
      Started begun = both.get(1 - both.indexOf(refused));
      String why = refused.exit().err();
      Checkout.await(
          "the agent of the other",
          () -> !begun.process().isAlive() || Files.exists(checkout.work().resolve(BEGUN)));
      leave();
      Exit exit = begun.exit();

      assertThat(refused.exit().code()).as(why).isEqualTo(1);
      assertThat(why)
          .containsPattern(
              "ralph: (the branch ralph/a is in use by|a loop already runs on this session, in)"
                  + " process "
                  + begun.process().pid());
      assertThat(exit.code()).as(exit.toString()).isEqualTo(3);
      assertThat(checkout.work().resolve(BEGUN)).content().hasLineCount(1);
    }
  }
}
