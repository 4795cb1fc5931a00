package dev.ralph.openspec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.NewTask;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.TaskList;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.ContendedException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests loops over a change, with lambdas as agents. */
@Timeout(300)
class ChangeLoopTest {

  static final String TASKS =
      """
      ## 1. Doors
      - [ ] 1.1 a door
      - [ ] 1.2 a lock

      ## 2. Windows
      - [ ] 2.1 a window

      ## 3. Roof
      - [ ] 3.1 a roof
      - [ ] 3.2 a chimney
      """;

  static final String ALL_TICKED = TASKS.replace("[ ]", "[x]");

  @TempDir Path project;
  private Path tasks;
  private Ralph ralph;
  private final List<String> prompts = new CopyOnWriteArrayList<>();

  @BeforeEach
  void makeAChange() throws IOException {
    ralph = Ralph.inMemory();
    makeAChangeIn(project);
    tasks = project.resolve("openspec/changes/add-house/tasks.md");
  }

  static void makeAChangeIn(Path project) throws IOException {
    Path folder =
        Files.createDirectories(project.resolve("openspec/changes/add-house/specs/doors"));
    Files.writeString(
        folder.resolve("spec.md"),
        """
        ## ADDED Requirements
        ### Requirement: Doors
        The house SHALL have doors.

        #### Scenario: Opening
        - **GIVEN** a door
        - **WHEN** it is opened
        - **THEN** it is open
        """);
    folder = folder.resolve("../..").normalize();
    Files.writeString(
        folder.resolve("proposal.md"), "## Why\nNobody should sleep {{tasks}} outside.\n");
    Files.writeString(folder.resolve("design.md"), "## Context\nWood.\n");
    Files.writeString(folder.resolve("tasks.md"), TASKS);
    Files.writeString(project.resolve("openspec/verify"), "test: sh check.sh\n");
    Files.writeString(project.resolve("check.sh"), "exit 0\n");
  }

  @AfterEach
  void close() {
    ralph.close();
  }

  private ChangeSession open() {
    return ChangeSession.open(ralph, project, "add-house", ProcessHandle.current());
  }

  private ChangeLoopBuilder loop(ChangeSession work, Agent agent) {
    return ChangeLoop.of(
            work,
            turn -> {
              prompts.add(turn.prompt());
              return agent.run(turn);
            })
        .failurePause(Duration.ofMillis(1));
  }

  private LoopResult run(Agent agent) {
    return loop(open(), agent).run();
  }

  /** Completes one task, and records a learning. */
  private static AgentResult completeOne(Session session) {
    session.tasks().ready().stream()
        .findFirst()
        .ifPresent(
            task -> {
              session.notes().add("learning", "learned at " + task.key());
              session.tasks().complete(task.id());
            });
    return AgentResult.success();
  }

  private String design() throws IOException {
    return Files.readString(tasks.resolveSibling("design.md"));
  }

  // ---- from the first story to the last

  @Test
  void change_isWorkedThroughStoryByStory() throws IOException {
    ChangeSession work = open();
    LoopResult result = loop(work, turn -> completeOne(turn.session())).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(5);
    assertThat(result.detail())
        .isEqualTo("all stories of add-house are complete; 5 learnings were added to design.md");
    assertThat(tasks).hasContent(ALL_TICKED);
    assertThat(work.hasEnded()).isTrue();
    assertThat(work.session().tasks().list())
        .extracting(Task::key)
        .containsExactly("1.1", "1.2", "2.1", "3.1", "3.2");
    assertThat(design())
        .contains("## Learnings")
        .containsSubsequence(
            "Story 1", "- learned at 1.1", "Story 2", "- learned at 2.1", "Story 3");
    assertThat(prompts.get(0))
        .contains("add-house, in ")
        .contains("<proposal>\n## Why\nNobody should sleep {{tasks}} outside.\n</proposal>")
        .contains("<design>\n## Context\nWood.\n</design>")
        .contains("### Requirement: Doors\nThe house SHALL have doors.\n\n#### Scenario: Opening\n")
        .contains("- **GIVEN** a door\n- **WHEN** it is opened\n- **THEN** it is open")
        .contains("1. Doors, 1 of 3; 0 of 2 tasks are ticked.")
        .contains("- [t1] 1.1 a door\n- [t2] 1.2 a lock\n")
        .contains("  - sh check.sh")
        .doesNotContain("2.1 a window");
    assertThat(prompts.get(1)).contains("1 of 2 tasks are ticked").contains("learned at 1.1");
    assertThat(prompts.get(2)).contains("2. Windows, 2 of 3").contains("learned at 1.2");
  }

  @Test
  void failingCheck_blocksStoryAndIsShown() throws IOException {
    Files.writeString(
        project.resolve("check.sh"), "test -f mended || { echo 'the door sticks'; exit 3; }\n");
    LoopResult result =
        run(
            turn -> {
              if (turn.prompt().contains("the door sticks")) {
                Files.createFile(project.resolve("mended"));
              }
              return completeOne(turn.session());
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(6);
    assertThat(prompts.get(2))
        .contains("COMPLETION REFUSED")
        .contains("sh check.sh")
        .contains("the door sticks")
        .contains("1. Doors, 1 of 3; 2 of 2");
    assertThat(prompts.get(3)).doesNotContain("the door sticks").contains("2. Windows");
  }

  @Test
  void agent_mayTickFile() throws IOException {
    LoopResult result =
        run(
            turn -> {
              Files.writeString(tasks, Files.readString(tasks).replaceFirst("\\[ ]", "[x]"));
              return AgentResult.success();
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(5);
    assertThat(tasks).hasContent(ALL_TICKED);
  }

  /** Completes the second task of a list without numbers, after an edit of the list. */
  private LoopResult completeSecond(String before, String after, int iterations)
      throws IOException {
    Files.writeString(tasks, before);
    int[] turns = {0};
    return loop(
            open(),
            turn -> {
              if (turns[0]++ == 0) {
                Files.writeString(tasks, after);
                turn.session().tasks().complete("t2");
              } else {
                completeOne(turn.session());
              }
              return AgentResult.success();
            })
        .maxIterations(iterations)
        .run();
  }

  @Test
  void removedLine_keepsRemainingTicks() throws IOException {
    String list = "## 1. Work\n- [ ] Alpha\n- [ ] Beta\n- [ ] Gamma\n";
    LoopResult result = completeSecond(list, list.replace("- [ ] Alpha\n", ""), 1);
    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(tasks).hasContent("## 1. Work\n- [x] Beta\n- [ ] Gamma");
    assertThat(run(turn -> completeOne(turn.session())).reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).hasContent("## 1. Work\n- [x] Beta\n- [x] Gamma");
  }

  @Test
  void insertedStory_keepsRemainingTicks() throws IOException {
    String list = "## Work\n- [ ] Alpha\n- [ ] Beta\n\n## Rest\n- [ ] Gamma\n";
    LoopResult result = completeSecond(list, "## Notes\n- [ ] New\n\n" + list, 20);
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).content().doesNotContain("[ ]");
    assertThat(result.iterations()).isEqualTo(4);
  }

  @Test
  void rewrittenList_endsTheLoopAndTicksNothing() throws IOException {
    String list = "## 1. Work\n- [ ] Alpha\n- [ ] Beta\n- [ ] Gamma\n";
    String edited = "## 1. Work\n- [ ] Aleph\n- [ ] Beth\n- [ ] Gamma\n";
    LoopResult result = completeSecond(list, edited, 5);
    assertThat(result.reason()).isEqualTo(StopReason.PLAN_CHANGED);
    assertThat(result.iterations()).isEqualTo(1);
    assertThat(result.detail()).contains("t2 '1.#2 Beta'").contains("tasks.md");
    assertThat(tasks).hasContent(edited);
    Files.writeString(tasks, edited.replace("[ ] Beth", "[x] Beth"));
    assertThat(run(turn -> completeOne(turn.session())).reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).content().doesNotContain("[ ]");
  }

  @Test
  void storyTickedEarly_isStillChecked() {
    List<String> begun = new CopyOnWriteArrayList<>();
    ChangeSession work = open();
    Gate windows =
        Gate.named(
            "windows",
            context ->
                work.story().equals(Optional.of("2")) && prompts.size() == 2
                    ? Verdict.failed("they do not open")
                    : Verdict.passed());
    Agent agent =
        turn -> {
          if (turn.iteration() == 1) {
            Files.writeString(tasks, Files.readString(tasks).replace("[ ] 2.1", "[x] 2.1"));
          }
          return completeOne(turn.session());
        };
    LoopResult result =
        loop(work, agent)
            .gate(windows)
            .onEvent(
                event -> {
                  if (event.type() == LoopEvent.Type.LOOP_STARTED) {
                    begun.add(work.story().orElseThrow());
                  }
                })
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(begun).containsExactly("1", "2", "3");
    assertThat(prompts).hasSize(5);
    assertThat(prompts.get(2))
        .contains("2. Windows, 2 of 3; 1 of 1 tasks are ticked.", "they do not open");
  }

  @Test
  void storyTickedBeforehand_isSkipped() throws IOException {
    Files.writeString(tasks, TASKS.replace("[ ] 2.1", "[x] 2.1"));
    ChangeSession work = open();
    List<String> begun = new CopyOnWriteArrayList<>();
    loop(work, turn -> completeOne(turn.session()))
        .onEvent(event -> begun.add(work.story().orElseThrow()))
        .run();
    assertThat(begun).contains("1", "3").doesNotContain("2");
  }

  @Test
  void promiseInText_isIgnoredAndExplained() {
    LoopResult result =
        run(
            turn -> {
              turn.output("All is done.\n<promise>COMPLETE</promise>");
              return turn.iteration() == 1 ? AgentResult.success() : completeOne(turn.session());
            });
    assertThat(result.iterations()).isEqualTo(6);
    assertThat(prompts.get(0)).doesNotContain("You wrote");
    assertThat(prompts.get(1))
        .contains(
            "You wrote <promise>COMPLETE</promise>, but these tasks are not complete: 1.1, 1.2");
    assertThat(prompts.get(2)).contains("not complete: 1.2");
    assertThat(prompts.get(3)).as("COMPLETE is true now").doesNotContain("You wrote");
  }

  @Test
  void addedTask_belongsToStory() {
    LoopResult result =
        run(
            turn -> {
              Session session = turn.session();
              if (turn.iteration() == 1) {
                session.tasks().add(NewTask.of("oil the hinges").priority(4));
              }
              return completeOne(session);
            });
    assertThat(result.iterations()).isEqualTo(6);
    assertThat(prompts.get(2)).contains("1. Doors").contains("oil the hinges");
    assertThat(prompts.get(3)).contains("2. Windows");
  }

  @Test
  void cancelledTask_reopensWhileListed() throws IOException {
    LoopResult result =
        run(
            turn -> {
              Session session = turn.session();
              Task task = session.tasks().ready().get(0);
              if (turn.iteration() == 1) {
                session.tasks().status(task.id(), StatusChange.to(Task.Status.CANCELLED));
                return AgentResult.success();
              }
              if (turn.iteration() == 2) {
                assertThat(task.key()).isEqualTo("1.1");
                Files.writeString(tasks, Files.readString(tasks).replace("- [ ] 1.1 a door\n", ""));
                return AgentResult.success();
              }
              return completeOne(session);
            });
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).hasContent(ALL_TICKED.replace("- [x] 1.1 a door\n", ""));
  }

  // ---- both lists

  @Test
  void ticksByHand_areSynchronized() throws IOException {
    ChangeSession work = open();
    work.nextStory();
    work.sync("1");
    TaskList list = work.session().tasks().list();
    assertThat(list).extracting(Task::content).containsExactly("1.1 a door", "1.2 a lock");

    work.session().tasks().complete("t1");
    assertThat(work.sync("1").done()).isEqualTo(1);
    assertThat(tasks).content().contains("- [x] 1.1", "- [ ] 1.2");

    Files.writeString(tasks, TASKS.replace("[ ] 1.2 a lock", "[x] 1.2 a good lock"));
    assertThat(work.sync("1").done()).isEqualTo(1);
    assertThat(work.session().tasks().get("t1").status()).isEqualTo(Task.Status.REMAINING);
    assertThat(work.session().tasks().get("t1").reason()).isEqualTo("not ticked in tasks.md");
    assertThat(work.session().tasks().get("t2").status()).isEqualTo(Task.Status.COMPLETED);

    Files.writeString(tasks, TASKS.replace("1.1 a door", "1.1 a green door\n- [ ] 1.3 a bell"));
    work.sync("1");
    assertThat(work.session().tasks().list().open())
        .extracting(Task::content)
        .containsExactly("1.1 a green door", "1.2 a lock", "1.3 a bell");

    Files.writeString(tasks, TASKS.replace("- [ ] 1.2 a lock\n", "- [ ] 1.2 a\n- [ ] 1.2 b\n"));
    assertThatThrownBy(() -> work.sync("1"))
        .hasMessageContaining("several tasks have the number 1.2");
  }

  // ---- limits

  @Test
  void limits_coverAllStories() {
    LoopResult result = loop(open(), turn -> completeOne(turn.session())).maxIterations(3).run();
    assertThat(result.reason()).isEqualTo(StopReason.MAX_ITERATIONS);
    assertThat(result.iterations()).isEqualTo(3);
    assertThat(result.detail()).isEqualTo("2 of 3 stories are complete");

    result =
        loop(
                open(),
                turn -> {
                  completeOne(turn.session());
                  return AgentResult.success().usage(Usage.of(10, 0, new BigDecimal("0.5")));
                })
            .maxCost(new BigDecimal("0.4"))
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.BUDGET);
    assertThat(result.detail()).startsWith("2 of 3 stories are complete; story 3: ");

    result = run(turn -> completeOne(turn.session()));
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(result.iterations()).isEqualTo(1);
  }

  @Test
  void removedStory_endsLoopAndNextRunContinues() throws IOException {
    Agent rewrites =
        turn -> {
          Files.writeString(tasks, TASKS.substring(TASKS.indexOf("## 2.")));
          return AgentResult.success();
        };
    ChangeSession work = open();
    try (ChangeLoop loop = loop(work, rewrites).build()) {
      assertThatThrownBy(loop::run)
          .hasMessageStartingWith("story 1 of add-house was removed from tasks.md");
    }
    assertThat(run(turn -> completeOne(turn.session())).reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).hasContent(ALL_TICKED.substring(ALL_TICKED.indexOf("## 2.")));
  }

  @Test
  void stoppedLoop_ticksLastIteration() {
    LoopResult result =
        run(
            turn -> {
              turn.session().control().stop("enough");
              return completeOne(turn.session());
            });
    assertThat(result.reason()).isEqualTo(StopReason.STOPPED);
    assertThat(tasks).content().contains("- [x] 1.1 a door\n- [ ] 1.2 a lock");
  }

  @Test
  void usageOfKilledRun_countsTowardBudget() {
    HaltingStore store = new HaltingStore();
    Agent agent =
        turn -> {
          if (prompts.size() == 4) {
            store.halt(0); // in the third story
          }
          return completeOne(turn.session()).usage(Usage.of(80, 20, new BigDecimal("1")));
        };
    try (Ralph killed = store.ralph()) {
      ChangeSession work =
          ChangeSession.open(killed, project, "add-house", ProcessHandle.current());
      assertThatThrownBy(() -> loop(work, agent).run()).hasMessage("halted");
    }
    store.halt(Integer.MAX_VALUE);
    try (Ralph again = store.ralph()) {
      ChangeSession work = ChangeSession.open(again, project, "add-house", ProcessHandle.current());
      assertThat(loop(work, agent).maxTokens(301).maxIdle(0).run())
          .hasToString(
              "budget after 1 iteration: 2 of 3 stories are complete; story 3: the budget of 301"
                  + " tokens is used up: 400 tokens");
    }
    assertThat(prompts).hasSize(5);

    try (Ralph again = store.ralph()) {
      ChangeSession work = ChangeSession.open(again, project, "add-house", ProcessHandle.current());
      assertThat(loop(work, agent).maxCost(new BigDecimal("2")).run().reason())
          .as("a new run after a completed run")
          .isEqualTo(StopReason.COMPLETED);
    }
  }

  @Test
  void usedBudget_startsNoFurtherStory() {
    LoopResult result =
        loop(
                open(),
                turn -> {
                  completeOne(turn.session());
                  return AgentResult.success().usage(Usage.of(80, 20, null));
                })
            .maxTokens(200)
            .run();
    assertThat(result)
        .hasToString(
            "budget after 2 iterations: 1 of 3 stories is complete; story 2: the budget of 200"
                + " tokens is used up: 200 tokens");
    assertThat(result.usage().totalTokens()).isEqualTo(200);
    assertThat(prompts).hasSize(2);
  }

  @Test
  void cancelledLoop_leavesChangeResumable() throws IOException {
    ChangeSession work = open();
    try (ChangeLoop loop =
        loop(work, turn -> completeOne(turn.session())).onEvent(event -> {}).build()) {
      assertThat(loop.story().orElseThrow().title()).isEqualTo("Doors");
      assertThat(loop.preview()).contains("1. Doors, 1 of 3");
      loop.step();
      loop.step();
      assertThat(loop.story().orElseThrow().title()).isEqualTo("Windows");
      loop.cancel("enough");
      assertThat(loop.run().reason()).isEqualTo(StopReason.INTERRUPTED);
    }
    assertThat(open().name()).isEqualTo(work.name());
    assertThat(run(turn -> completeOne(turn.session())).reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(tasks).hasContent(ALL_TICKED);
  }

  @Test
  void nullReason_isRejected() {
    try (ChangeLoop loop = loop(open(), turn -> completeOne(turn.session())).build()) {
      assertThatThrownBy(() -> loop.cancel(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("reason");
      assertThat(loop.run().reason()).isEqualTo(StopReason.COMPLETED);
      assertThatThrownBy(() -> loop.cancel(null)).hasMessage("reason");
    }
  }

  // ---- other cases

  @Test
  void lostChange_stopsLoopWithoutTick() {
    ChangeSession work = open();
    ChangeLoopBuilder loop =
        loop(
            work,
            turn -> {
              work.end();
              ChangeSession.begin(ralph, project, "add-house", null);
              return completeOne(turn.session());
            });
    assertThatThrownBy(loop::run)
        .isInstanceOf(ContendedException.class)
        .hasMessageContaining("add-house-");
    assertThat(tasks).hasContent(TASKS);
    assertThat(prompts).hasSize(1);
  }

  @Test
  void events_areReportedForEveryStory() {
    List<LoopEvent.Type> types = new CopyOnWriteArrayList<>();
    loop(open(), turn -> completeOne(turn.session()))
        .onEvent(event -> types.add(event.type()))
        .run();
    assertThat(types).filteredOn(LoopEvent.Type.LOOP_STARTED::equals).hasSize(3);
    assertThat(types).filteredOn(LoopEvent.Type.GATE::equals).hasSize(3);
    assertThat(types).last().isEqualTo(LoopEvent.Type.LOOP_ENDED);
  }
}
