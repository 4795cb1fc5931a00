package dev.ralph.core.internal.loop;

import static dev.ralph.core.RepositoryTemplate.git;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewTask;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.internal.process.Git;
import dev.ralph.core.internal.text.ActivityText;
import dev.ralph.log.Follower;
import dev.ralph.log.Meta;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several agents in work trees of a real repository, and the merges of their work. */
@Timeout(300)
class LoopMergeTest extends LoopFixture {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\nlast\n");

  @BeforeEach
  void repository() throws Exception {
    REPOSITORY.copyTo(folder);
  }

  private Loop.Builder several(int agents, Agent agent) {
    return loop(agent).agents(agents).doneWhen(now -> !now.tasks().list().isEmpty());
  }

  private void addTasks(int count) {
    for (int i = 1; i <= count; i++) {
      session.tasks().add("task " + i);
    }
  }

  private static Task given(Turn turn) {
    Iteration iteration = turn.session().iterations().running(turn.agent()).orElseThrow();
    return turn.session().tasks().get(String.valueOf(iteration.task()));
  }

  private static AgentResult complete(Turn turn) {
    turn.session().tasks().complete(given(turn).id());
    return AgentResult.success();
  }

  private static void write(Turn turn, String file, String text) throws IOException {
    Files.writeString(turn.directory().resolve(file), text);
  }

  private String onBranch(String file) throws InterruptedException {
    return git(folder, "show", "ralph/s:" + file);
  }

  private List<String> branches() throws InterruptedException {
    return git(folder, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
        .lines()
        .toList();
  }

  @Test
  void gatesOfMergeQueue_areReportedWithTheirTasks() throws Exception {
    addTasks(1);
    List<String> seen = new CopyOnWriteArrayList<>();
    Topic activity = Topic.of("ralph.s.activity");
    Gate slow =
        Gate.named(
            "slow",
            context -> {
              if (seen.isEmpty()) {
                try (Follower said = ralph.log().follow(Query.of(TopicFilter.of(activity)))) {
                  while (seen.stream().noneMatch(each -> each.startsWith("0: gate"))) {
                    said.poll(Duration.ofMinutes(1));
                    seen.clear();
                    ActivityText.of(session, session.control().running().orElse(null))
                        .forEach(each -> seen.add(each.agent() + ": " + each.doing()));
                  }
                }
              }
              return Verdict.passed();
            });

    several(
            2,
            turn -> {
              write(turn, "new.txt", "new\n");
              return complete(turn);
            })
        .gate(slow)
        .run();

    assertThat(seen)
        .containsExactly(
            "0: gate slow on t1", "1: waits for the merge queue", "2: waits for the merge queue");
    assertThat(session.control().activities()).isEmpty();
  }

  @Test
  void preview_saysWhetherBranchHasCommits() throws Exception {
    addTasks(1);
    String sentence = "ralph/s.t1 (has unmerged commits";
    try (Loop loop = several(2, turn -> AgentResult.success()).build()) {
      assertThat(loop.preview()).contains("ralph/s.t1").doesNotContain(sentence);
    }
    several(
            2,
            turn -> {
              write(turn, "new.txt", "new\n");
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();

    try (Loop loop = several(2, turn -> AgentResult.success()).build()) {
      assertThat(loop.preview()).contains(sentence);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "git checkout -q --detach; echo x >w; git add w; git commit -qm x; git checkout -q -,"
        + " git merge -q ralph/s.t0-left-1",
    "git checkout -q -b other; echo x >w; git add w; git commit -qm x; git checkout -q -,"
        + " git merge -q other",
    "echo x >w; git add w; git stash -q, git stash pop -q"
  })
  void workBesideBranch_isReportedOnceWithoutTask(String leave, String repair) throws Exception {
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        loop(turn -> {
              int number = turns.incrementAndGet();
              String script = number == 1 ? leave : number == 4 ? repair : "true";
              Process shell =
                  new ProcessBuilder("sh", "-c", script)
                      .directory(turn.directory().toFile())
                      .start();
              assertThat(shell.waitFor()).as(script).isZero();
              return AgentResult.success();
            })
            .agents(2)
            .maxIdle(0)
            .maxIterations(5)
            .doneWhen(now -> turns.get() > 1)
            .run();

    assertThat(result.reason()).as("" + result).isEqualTo(StopReason.COMPLETED);
    assertThat(turns).hasValue(4);
    assertThat(session.iterations().list())
        .allMatch(iteration -> iteration.status() == Iteration.Status.SUCCESS);
    assertThat(events)
        .filteredOn(event -> event.type() != LoopEvent.Type.COMPLETION_REFUSED)
        .filteredOn(event -> event.message().contains("not on ralph/s.t0"))
        .hasSize(1);
    assertThat(prompts.subList(1, 4)).allMatch(prompt -> prompt.contains("not on ralph/s.t0"));
  }

  @Test
  void completedTasks_areMergedEvenIfUncommitted() throws Exception {
    addTasks(6);

    LoopResult result =
        several(
                3,
                turn -> {
                  int number = given(turn).number();
                  write(turn, "t" + number + ".txt", "done\n");
                  if (number % 2 == 0) {
                    git(turn.directory(), "add", ".");
                    git(turn.directory(), "commit", "--quiet", "-m", "by agent");
                  }
                  return complete(turn);
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    for (int i = 1; i <= 6; i++) {
      assertThat(onBranch("t" + i + ".txt")).isEqualTo("done");
    }
    assertThat(session.tasks().list()).allMatch(Task::isSettled);
    assertThat(session.tasks().list()).extracting(Task::commit).doesNotContainNull();
    assertThat(branches()).containsExactly("main", "ralph/s");
    assertThat(git(folder, "log", "--format=%s", "main")).isEqualTo("begin");
    assertThat(events).filteredOn(each -> each.type() == LoopEvent.Type.MERGED).hasSize(6);
  }

  @Test
  void mergedWork_isPushedOnRequest() throws Exception {
    Path hub = folder.resolve(".git").resolve("hub");
    git(folder, "init", "--quiet", "--bare", hub.toString());
    git(folder, "remote", "add", "hub", hub.toString());
    addTasks(3);

    LoopResult result =
        several(
                2,
                turn -> {
                  write(turn, "t" + given(turn).number() + ".txt", "done\n");
                  return complete(turn);
                })
            .workspaces(places -> places.push("hub"))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(git(folder, "--git-dir=" + hub, "rev-parse", "ralph/s"))
        .isEqualTo(git(folder, "rev-parse", "ralph/s"));
    assertThat(git(folder, "--git-dir=" + hub, "show", "ralph/s:t3.txt")).isEqualTo("done");
  }

  /** Otherwise the other tasks would run first, and the tasks on the same file alone at the end. */
  @Test
  void tasksOnSameFile_followEachMergeAtOnce() throws Exception {
    for (int i = 1; i <= 3; i++) {
      session.tasks().add(NewTask.of("of one file " + i).touches("all.txt"));
    }
    session.tasks().add("other 4");
    session.tasks().add("other 5");
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch fifth = new CountDownLatch(1);
    List<Integer> begun = new CopyOnWriteArrayList<>();

    LoopResult result =
        several(
                2,
                turn -> {
                  int number = given(turn).number();
                  begun.add(number);
                  if (number == 2) {
                    second.countDown();
                  } else if (number == 4) {
                    assertThat(second.await(1, TimeUnit.MINUTES)).isTrue();
                  } else if (number == 5) {
                    fifth.countDown();
                  }
                  write(turn, "t" + number + ".txt", "done\n");
                  return complete(turn);
                })
            .gate(
                Gate.named(
                    "slow",
                    context -> {
                      fifth.await(300, TimeUnit.MILLISECONDS); // time for a wrong assignment
                      return Verdict.passed();
                    }))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(begun).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
    assertThat(begun.indexOf(2)).isLessThan(begun.indexOf(5));
  }

  @Test
  void conflict_returnsTheTaskWithItsDetails() throws Exception {
    addTasks(2);
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  int number = given(turn).number();
                  if (turns.incrementAndGet() <= 2) {
                    both.await(1, TimeUnit.MINUTES);
                    write(turn, "all.txt", "first\ntask " + number + "\nlast\n");
                    // From this folder no work tree is found, so only the merge finds the conflict.
                    Path elsewhere = turn.directory().getRoot();
                    session.asAgent(turn.agent(), elsewhere).tasks().complete(given(turn).id());
                    return AgentResult.success();
                  } else {
                    new Git(turn.directory(), Duration.ofMinutes(1)).run("merge", "ralph/s");
                    write(turn, "all.txt", "first\ntask 1\ntask 2\nlast\n");
                  }
                  return complete(turn);
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(onBranch("all.txt")).isEqualTo("first\ntask 1\ntask 2\nlast");
    LoopEvent.SentBack back = (LoopEvent.SentBack) only(LoopEvent.Type.SENT_BACK);
    assertThat(back.reason()).contains("all.txt", "<<<<<<<", "task 1", "task 2");
    assertThat(prompts.get(prompts.size() - 1))
        .contains("Earlier work was returned", "git merge ralph/s", "<<<<<<<");
    assertThat(session.tasks().list()).allMatch(Task::isSettled);
  }

  @Test
  void failedGate_keepsTheBranchGood() throws Exception {
    addTasks(4);
    AtomicInteger broken = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  int number = given(turn).number();
                  boolean isBad = number == 2 && broken.incrementAndGet() == 1;
                  write(turn, "t" + number + ".txt", isBad ? "bad\n" : "good\n");
                  return complete(turn);
                })
            .gate(Gate.named("no bad file", context -> noBadFile(context.directory())))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(onBranch("t2.txt")).isEqualTo("good");
    for (String commit : git(folder, "rev-list", "--first-parent", "ralph/s").lines().toList()) {
      String files = git(folder, "grep", "-c", "good\\|first", commit);
      assertThat(files.replace(commit, "")).doesNotContain("bad"); // a commit id may contain "bad"
      assertThat(new Git(folder, Duration.ofMinutes(1)).run("grep", "bad", commit).isGood())
          .isFalse();
    }
    assertThat(events)
        .filteredOn(LoopEvent.SentBack.class::isInstance)
        .extracting(LoopEvent::message)
        .hasSize(1)
        .allMatch(text -> text.startsWith("t2 was not merged"));
  }

  private static Verdict noBadFile(Path folder) throws IOException {
    try (var files = Files.newDirectoryStream(folder, "t*.txt")) {
      for (Path file : files) {
        if (Files.readString(file).contains("bad")) {
          return Verdict.failed(file.getFileName() + " is bad");
        }
      }
    }
    return Verdict.passed();
  }

  @Test
  void workOfFailedAgent_isKeptForTheNext() throws Exception {
    addTasks(1);
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        several(
                2,
                turn -> {
                  if (turns.incrementAndGet() == 1) {
                    write(turn, "half.txt", "half\n");
                    throw new IllegalStateException("died");
                  }
                  assertThat(turn.directory().resolve("half.txt")).exists();
                  write(turn, "whole.txt", "whole\n");
                  return complete(turn);
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(onBranch("half.txt")).isEqualTo("half");
    assertThat(onBranch("whole.txt")).isEqualTo("whole");
    assertThat(prompts.get(1)).contains("(has unmerged commits");
  }

  @Test
  void unmergedTask_isMergedByTheNextLoop() throws Exception {
    addTasks(1);
    CountDownLatch inGate = new CountDownLatch(1);
    try (Loop loop =
        several(2, turn -> done(turn, "one.txt"))
            .gate(
                Gate.named(
                    "slow",
                    context -> {
                      inGate.countDown();
                      new CountDownLatch(1).await();
                      return Verdict.passed();
                    }))
            .build()) {
      Thread canceller = cancelOnce(inGate, loop);
      assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
      canceller.join();
    }
    assertThat(session.tasks().list().toMerge()).hasSize(1);

    LoopResult next = several(2, turn -> AgentResult.fatal("never run")).run();

    assertThat(next.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(next.iterations()).isZero();
    assertThat(onBranch("one.txt")).isEqualTo("done");
  }

  /** Another host takes over the session while a gate runs and an agent works. */
  @Test
  void lostSession_preventsFurtherMerges() throws Exception {
    addTasks(2);
    String before = git(folder, "rev-parse", "main");
    CountDownLatch inGate = new CountDownLatch(1);
    CountDownLatch taken = new CountDownLatch(1);
    Loop loop =
        several(
                2,
                turn -> {
                  if (given(turn).number() == 2) {
                    await(inGate);
                    ralph.append(
                        Topic.of("ralph.s.control"),
                        Meta.of("action", "loop_start")
                            .with("run", "theirs")
                            .with("lease", 3_600_000)
                            .with("host", "elsewhere")
                            .with("pid", 7),
                        "");
                    taken.countDown();
                    new CountDownLatch(1).await();
                  }
                  return done(turn, "one.txt");
                })
            .lease(Duration.ofHours(1))
            .gate(
                Gate.named(
                    "slow",
                    context -> {
                      inGate.countDown();
                      await(taken);
                      return Verdict.passed();
                    }))
            .build();

    LoopResult result = loop.run();

    assertThat(result.reason()).isEqualTo(StopReason.LOST);
    assertThat(session.tasks().list().toMerge()).hasSize(1);
    assertThat(git(folder, "rev-parse", "ralph/s")).isEqualTo(before);
    assertThat(git(folder, "show", "ralph/s.t1:one.txt")).as("the agent's work").isEqualTo("done");
  }

  private static AgentResult done(Turn turn, String file) throws IOException {
    write(turn, file, "done\n");
    return complete(turn);
  }

  private static Thread cancelOnce(CountDownLatch latch, Loop loop) {
    Thread canceller =
        new Thread(
            () -> {
              try {
                await(latch);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              loop.cancel("enough");
            });
    canceller.start();
    return canceller;
  }

  @Test
  void agentWorkingAlone_isMergedBeforeCompletion() throws Exception {
    AtomicInteger turns = new AtomicInteger();

    LoopResult result =
        loop(turn -> {
              write(turn, "alone.txt", turns.incrementAndGet() == 1 ? "bad\n" : "good\n");
              turn.session().control().complete();
              return AgentResult.success();
            })
            .agents(2)
            .prompt("do it")
            .gate(
                Gate.named(
                    "good",
                    context ->
                        Files.notExists(context.directory().resolve("alone.txt"))
                                || Files.readString(context.directory().resolve("alone.txt"))
                                    .contains("good")
                            ? Verdict.passed()
                            : Verdict.failed("it is bad")))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(2);
    assertThat(onBranch("alone.txt")).isEqualTo("good");
    assertThat(prompts.get(1)).contains("Earlier work was returned", "it is bad");
  }

  @Test
  void failedSetUpCommand_endsTheLoop() {
    addTasks(2);

    LoopResult result =
        several(2, turn -> AgentResult.fatal("never run"))
            .workspaces(places -> places.setUp(List.of("sh", "-c", "echo no net; exit 3")))
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).contains("no net");
    assertThat(session.tasks().ready()).hasSize(2);
  }

  @Test
  void branchCheckedOutByUser_endsLoopWithoutLoss() throws Exception {
    addTasks(1);

    LoopResult result =
        several(
                2,
                turn -> {
                  git(folder, "checkout", "--quiet", "ralph/s");
                  return done(turn, "one.txt");
                })
            .maxFailures(2)
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.detail()).contains("cannot merge", "ralph/s is checked out");
    git(folder, "checkout", "--quiet", "main");

    assertThat(several(2, turn -> AgentResult.fatal("never run")).run().reason())
        .isEqualTo(StopReason.COMPLETED);
    assertThat(onBranch("one.txt")).isEqualTo("done");
  }

  @Test
  void existingBranch_failsTheLoopNotTheStore() throws Exception {
    git(folder, "branch", "ralph/s"); // created by the user, not by a loop
    addTasks(1);
    Loop loop = several(2, LoopMergeTest::complete).build();
    try (loop) {
      assertThatThrownBy(loop::run).hasMessageContaining("the branch ralph/s already exists");
    }
    assertThat(loop.result().orElseThrow().reason()).isEqualTo(StopReason.FAILURES);
    assertThat(events).last().extracting(LoopEvent::message).asString().contains("ralph/s already");
  }

  @Test
  void folderWithoutRepository_rejectsSeveralAgents() throws Exception {
    Path bare = Files.createDirectories(folder.resolveSibling(folder.getFileName() + "-bare"));

    assertThatThrownBy(() -> loop(turn -> AgentResult.success()).agents(2).directory(bare).build())
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("several agents require a Git repository");

    assertThat(events).isEmpty();
  }
}
