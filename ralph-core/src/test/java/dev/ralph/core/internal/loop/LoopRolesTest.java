package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Iteration.Role;
import dev.ralph.Iteration.Status;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.RecordEntry;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.Verdict;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One agent plans, another builds, a third reviews. */
@Timeout(120)
class LoopRolesTest extends LoopFixture {

  private static final Agent WELL = turn -> AgentResult.success();

  /** Completes one open task in each turn. */
  private static final Agent BUILDER =
      turn -> {
        Session session = turn.session();
        session.tasks().list().open().stream()
            .findFirst()
            .ifPresent(task -> session.tasks().complete(task.id()));
        return AgentResult.success();
      };

  /** The prompts of the agents, each after the name of the agent. */
  private final List<String> asked = new ArrayList<>();

  private Agent heard(String who, Agent agent) {
    return turn -> {
      asked.add(who + " " + turn.prompt());
      return agent.run(turn);
    };
  }

  private List<Role> roles() {
    return session.iterations().list().stream().map(Iteration::role).toList();
  }

  private Loop.Builder endless(Agent agent) {
    return loop(agent).maxIdle(0);
  }

  @Test
  void planBuildAndReview_alternateUntilDone() throws Exception {
    Agent planner =
        turn -> {
          turn.session().tasks().add("one");
          turn.session().tasks().add("two");
          return AgentResult.success();
        };
    Agent reviewer =
        turn -> {
          if (turn.iteration() == 3) {
            turn.session().tasks().add("mend one");
          }
          return AgentResult.success();
        };

    LoopResult result =
        loop(heard("build", BUILDER))
            .spec(Files.writeString(folder.resolve("SPEC.md"), "Build it."))
            .plan(heard("plan", planner))
            .review(2, heard("review", reviewer))
            .doneWhen(session -> !session.tasks().list().isEmpty())
            .run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(roles()).containsExactly(Role.PLAN, Role.BUILD, Role.REVIEW, Role.BUILD, Role.BUILD);
    assertThat(asked.get(0)).startsWith("plan ").contains("## THIS ITERATION PLANS");
    assertThat(asked.get(1)).startsWith("build ").doesNotContain("THIS ITERATION");
    assertThat(asked.get(2)).startsWith("review ").contains("## THIS ITERATION REVIEWS");
    assertThat(asked.get(3)).startsWith("build ").contains("- #3 review success");
  }

  @Test
  void role_isReportedAndRecorded() {
    session.tasks().add("one");

    endless(WELL).review(1, WELL).maxIterations(2).run();

    assertThat(events.stream().filter(LoopEvent.IterationStarted.class::isInstance))
        .extracting(event -> ((LoopEvent.IterationStarted) event).role(), e -> e.data().json())
        .containsExactly(
            tuple(Role.BUILD, "{\"role\":\"build\"}"), tuple(Role.REVIEW, "{\"role\":\"review\"}"));
    List<RecordEntry> record = new ArrayList<>();
    session.iterations().record(2, record::add);
    assertThat(record.get(0).string("role")).isEqualTo("review");
  }

  @Test
  void singleRole_isNotRecorded() {
    endless(WELL).maxIterations(1).run();

    assertThat(roles()).containsExactly(Role.BUILD);
    assertThat(only(LoopEvent.Type.ITERATION_STARTED).data().keys()).isEmpty();
    List<RecordEntry> record = new ArrayList<>();
    session.iterations().record(1, record::add);
    assertThat(record.get(0).data().has("role")).isFalse();
  }

  @Test
  void plan_isSkippedWithTasksOrWithoutARequest() {
    endless(WELL).plan(WELL).maxIterations(1).run();
    session.inbox().send("hello");
    endless(WELL).plan(WELL).maxIterations(2).run();
    session.inbox().markRead("m1");
    endless(WELL).plan(WELL).maxIterations(1).run();
    session.tasks().complete(session.tasks().add("one").id());
    session.inbox().send("more");
    endless(WELL).plan(WELL).prompt("do it").maxIterations(1).run();

    assertThat(roles()).containsExactly(Role.BUILD, Role.PLAN, Role.PLAN, Role.BUILD, Role.BUILD);
  }

  @Test
  void planWithoutTasks_isNoProgress() {
    LoopResult result = loop(WELL).plan(WELL).prompt("do it").run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(roles()).hasSize(5).containsOnly(Role.PLAN);
  }

  @Test
  void review_countsSuccessesOfEarlierRuns() {
    Agent failing = turn -> AgentResult.failure("no");
    for (int run = 0; run < 4; run++) {
      endless(run == 1 ? failing : WELL).review(2, WELL).maxIterations(1).run();
    }
    endless(WELL).review(2, WELL).maxIterations(4).run();

    assertThat(roles())
        .containsExactly(
            Role.BUILD,
            Role.BUILD,
            Role.BUILD,
            Role.REVIEW, // the second iteration failed
            Role.BUILD,
            Role.BUILD,
            Role.REVIEW,
            Role.BUILD);
  }

  @Test
  void failedReview_isRepeatedAfterTheNextIteration() {
    Agent reviewer =
        turn -> turn.iteration() < 4 ? AgentResult.failure("no") : AgentResult.success();

    endless(WELL).review(2, reviewer).maxIterations(7).run();

    assertThat(roles())
        .containsExactly(
            Role.BUILD, Role.BUILD, Role.REVIEW, Role.BUILD, Role.REVIEW, Role.BUILD, Role.BUILD);
    assertThat(statuses()).startsWith(Status.SUCCESS, Status.SUCCESS, Status.FAILURE);
  }

  @Test
  void failuresOfAllRoles_areCountedTogether() {
    Agent failing = turn -> AgentResult.failure("no");
    session.inbox().send("hello");

    LoopResult result = loop(WELL).plan(failing).run();

    assertThat(result.reason()).isEqualTo(StopReason.FAILURES);
    assertThat(result.iterations()).isEqualTo(3);
  }

  @Test
  void reviews_areNeitherProgressNorIdle() {
    Agent talking =
        turn -> {
          turn.session().notes().add("tip", "still nothing " + turn.iteration(), turn.iteration());
          return AgentResult.success();
        };

    LoopResult result = loop(WELL).review(1, talking).maxIdle(3).run();

    assertThat(result.reason()).isEqualTo(StopReason.NO_PROGRESS);
    assertThat(roles())
        .containsExactly(Role.BUILD, Role.REVIEW, Role.BUILD, Role.REVIEW, Role.BUILD);
  }

  @Test
  void reviewer_mayClaimCompletion() {
    Agent claiming =
        turn -> {
          turn.session().control().complete();
          return AgentResult.success();
        };

    LoopResult result = loop(WELL).review(1, claiming).run();

    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(roles()).containsExactly(Role.BUILD, Role.REVIEW);
  }

  @Test
  void refusalReasons_areShownUntilTheNextBuild() {
    Agent claiming =
        turn -> {
          if (turn.iteration() == 1) {
            turn.session().control().complete();
          }
          return AgentResult.success();
        };

    endless(heard("build", claiming))
        .review(1, heard("review", WELL))
        .gate(Gate.named("tests", context -> Verdict.failed("two of them fail")))
        .maxIterations(5)
        .run();

    assertThat(asked.subList(1, 3)).allMatch(prompt -> prompt.contains("two of them fail"));
    assertThat(asked.subList(3, 5)).noneMatch(prompt -> prompt.contains("two of them fail"));
  }

  @Test
  void role_hasItsOwnToolsTemplateAndLimits() throws Exception {
    Agent slow =
        turn -> {
          new CountDownLatch(1).await();
          return AgentResult.success();
        };
    Path file = Files.writeString(folder.resolve("plan.md"), "Plan {{spec}}. {{tools}}");
    session.inbox().send("hello");

    endless(heard("build", WELL))
        .template("Build. {{tools}}")
        .tools(Tools.mcp("builder_"))
        .plan(
            heard("plan", slow),
            role ->
                role.tools(Tools.mcp("planner_"))
                    .template(file)
                    .iterationTimeLimit(Duration.ofSeconds(1)))
        .maxIterations(1)
        .run();

    assertThat(statuses()).containsExactly(Status.TIMEOUT);
    assertThat(asked.get(0)).contains("Plan none", "planner_").doesNotContain("THIS ITERATION");

    session.tasks().add("one");
    List<BigDecimal> mayCost = new ArrayList<>();
    Agent dear =
        turn -> {
          mayCost.add(turn.maxCost());
          turn.usage(Usage.of(1, 1, new BigDecimal("2")));
          return slow.run(turn);
        };
    endless(
            turn -> {
              mayCost.add(turn.maxCost());
              return AgentResult.success();
            })
        .iterationMaxCost(new BigDecimal("5"))
        .review(1, dear, role -> role.iterationMaxCost(new BigDecimal("1")))
        .maxIterations(2)
        .run();
    assertThat(mayCost).containsExactly(new BigDecimal("5"), new BigDecimal("1"));
    assertThat(statuses()).endsWith(Status.SUCCESS, Status.FAILURE);
  }

  @Test
  void templateWithoutRole_startsWithTheRole() {
    session.inbox().send("hello");
    Loop.Builder with = session.loop(WELL).directory(folder).plan(WELL);

    try (Loop loop = with.template("Build {{tasks}}").build()) {
      assertThat(loop.preview()).contains("## THIS ITERATION PLANS");
    }
    try (Loop loop = with.template("Build\n{{role}}\nnow").build()) {
      assertThat(loop.preview()).contains("Build\n## THIS ITERATION PLANS");
    }
  }

  @Test
  void agentsOfAllRoles_areCheckedBeforeTheStart() {
    Agent missing =
        new Agent() {
          @Override
          public AgentResult run(Turn turn) {
            return AgentResult.success();
          }

          @Override
          public void requireReady(Path directory) {
            throw RalphException.invalid("there is no such program");
          }
        };

    assertThatThrownBy(() -> loop(WELL).plan(missing).build())
        .hasMessageContaining("there is no such program");
    assertThatThrownBy(() -> loop(WELL).review(2, missing).build())
        .hasMessageContaining("there is no such program");
    assertThatThrownBy(() -> loop(WELL).review(0, WELL).build())
        .hasMessage("the review interval must be at least 1 iteration, not 0");
    assertThat(session.iterations().list()).isEmpty();
  }
}
