package dev.ralph.core.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Verdict;
import dev.ralph.core.RepositoryTemplate;
import dev.ralph.core.internal.loop.agent.Roles;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each option of a loop: its default, its effect on the settings, and its invalid values. */
class LoopBuilderTest {

  private static final RepositoryTemplate REPOSITORY =
      RepositoryTemplate.of("begin", "all.txt", "first\n");

  private static final Agent AGENT = turn -> AgentResult.success();
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir Path folder;

  private final Ralph ralph = Ralph.inMemory();
  private final LiveSession session = (LiveSession) ralph.session("s");

  @AfterEach
  void close() {
    ralph.close();
  }

  private LoopBuilder builder() {
    return new LoopBuilder(session, AGENT).directory(folder);
  }

  private static LoopSettings settings(Loop.Builder builder) {
    try (Loop loop = builder.build()) {
      return ((LoopRun) loop).settings();
    }
  }

  private static Roles roles(Loop.Builder builder) {
    try (Loop loop = builder.build()) {
      return ((LoopRun) loop).roles();
    }
  }

  // ---- defaults

  @Test
  void noOptions_giveTheDefaults() {
    LoopSettings settings = settings(builder());

    assertThat(settings.directory()).isEqualTo(folder);
    assertThat(settings.maxIterations()).isEqualTo(50);
    assertThat(settings.timeLimit()).isNull();
    assertThat(settings.limits()).isEqualTo(Limits.NONE);
    assertThat(settings.budgetFrom()).isEqualTo(Integer.MAX_VALUE);
    assertThat(settings.record()).isTrue();
    assertThat(settings.maxIdle()).isEqualTo(5);
    assertThat(settings.maxAttempts()).isEqualTo(5);
    assertThat(settings.grace()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.maxFailures()).isEqualTo(3);
    assertThat(settings.failurePause()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.standBy()).isFalse();
    assertThat(settings.waitForAnswers()).isFalse();
    assertThat(settings.gates()).isEmpty();
    assertThat(settings.finalGates()).isEmpty();
    assertThat(settings.done().test(session)).isFalse();
    assertThat(settings.listeners()).isEmpty();
    assertThat(settings.lease()).as("lives as long as the process, in a local store").isNull();
    assertThat(settings.executor()).isNull();
    assertThat(settings.several()).isNull();
    assertThat(settings.agents()).isEqualTo(1);
  }

  @Test
  void noOptions_giveOneRoleWithoutLimits() {
    Roles roles = roles(builder());

    assertThat(roles.build().role()).isEqualTo(Iteration.Role.BUILD);
    assertThat(roles.build().agent()).isSameAs(AGENT);
    assertThat(roles.build().timeLimit()).isNull();
    assertThat(roles.build().limits()).isEqualTo(Limits.NONE);
    assertThat(roles.build().variables()).isEmpty();
    assertThat(roles.plan()).isNull();
    assertThat(roles.review()).isNull();
  }

  @Test
  void noDirectory_isTheWorkingDirectory() {
    assertThat(settings(new LoopBuilder(session, AGENT)).directory())
        .isEqualTo(Path.of("").toAbsolutePath());
  }

  // ---- effects

  private static final Gate GATE = Gate.named("check", context -> Verdict.passed());
  private static final Consumer<LoopEvent> LISTENER = event -> {};
  private static final Predicate<Session> DONE = session -> true;
  private static final Executor EXECUTOR = work -> new Thread(work).start();

  private static Arguments option(
      String name,
      Function<LoopBuilder, LoopBuilder> set,
      Function<LoopSettings, Object> get,
      Object expected) {
    return Arguments.of(name, set, get, expected);
  }

  private static Stream<Arguments> options() {
    return Stream.of(
        option("maxIterations", b -> b.maxIterations(7), LoopSettings::maxIterations, 7),
        option("no maxIterations", b -> b.maxIterations(0), LoopSettings::maxIterations, 0),
        option("timeLimit", b -> b.timeLimit(HOUR), LoopSettings::timeLimit, HOUR),
        option(
            "maxCost",
            b -> b.maxCost(new BigDecimal("1.50")),
            LoopSettings::limits,
            new Limits(new BigDecimal("1.50"), null)),
        option("maxTokens", b -> b.maxTokens(9), LoopSettings::limits, new Limits(null, 9L)),
        option("budgetFrom", b -> b.budgetFrom(3), LoopSettings::budgetFrom, 3),
        option("record", b -> b.record(false), LoopSettings::record, false),
        option("maxIdle", b -> b.maxIdle(0), LoopSettings::maxIdle, 0),
        option("maxAttempts", b -> b.maxAttempts(2), LoopSettings::maxAttempts, 2),
        option("grace", b -> b.grace(HOUR), LoopSettings::grace, HOUR),
        option("no grace", b -> b.grace(Duration.ZERO), LoopSettings::grace, Duration.ZERO),
        option("maxFailures", b -> b.maxFailures(1), LoopSettings::maxFailures, 1),
        option("failurePause", b -> b.failurePause(HOUR), LoopSettings::failurePause, HOUR),
        option("standBy", b -> b.standBy(true), LoopSettings::standBy, true),
        option("waitForAnswers", b -> b.waitForAnswers(true), LoopSettings::waitForAnswers, true),
        option("gate", b -> b.gate(GATE), LoopSettings::gates, List.of(GATE)),
        option("finalGate", b -> b.finalGate(GATE), LoopSettings::finalGates, List.of(GATE)),
        option("doneWhen", b -> b.doneWhen(DONE), LoopSettings::done, DONE),
        option("onEvent", b -> b.onEvent(LISTENER), LoopSettings::listeners, List.of(LISTENER)),
        option("lease", b -> b.lease(HOUR), LoopSettings::lease, HOUR),
        option("executor", b -> b.executor(EXECUTOR), LoopSettings::executor, EXECUTOR),
        option("agents", b -> b.agents(3), LoopSettings::agents, 3),
        option("one agent", b -> b.agents(3).agents(1), LoopSettings::several, null),
        option(
            "shared workspaces",
            b -> b.agents(2).workspaces(Loop.WorkspaceBuilder::sharedDirectory),
            settings -> settings.several().isShared(),
            true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("options")
  void option_isInTheSettings(
      String name,
      Function<LoopBuilder, LoopBuilder> set,
      Function<LoopSettings, Object> get,
      Object expected)
      throws Exception {
    REPOSITORY.copyTo(folder); // several agents need a repository

    assertThat(get.apply(settings(set.apply(builder())))).isEqualTo(expected);
  }

  @Test
  void optionsOfAnIteration_areOfEachRoleUnlessItHasItsOwn() {
    Roles roles =
        roles(
            builder()
                .iterationTimeLimit(HOUR)
                .iterationMaxCost(BigDecimal.TEN)
                .iterationMaxTokens(10)
                .variable("A", "b")
                .plan(AGENT, own -> {})
                .review(2, AGENT, own -> own.iterationTimeLimit(Duration.ofSeconds(1))));

    for (LoopRole role : List.of(roles.build(), roles.plan(), roles.review())) {
      assertThat(role.limits()).isEqualTo(new Limits(BigDecimal.TEN, 10L));
      assertThat(role.variables()).isEqualTo(Map.of("A", "b"));
    }
    assertThat(roles.plan().timeLimit()).isEqualTo(HOUR);
    assertThat(roles.review().timeLimit()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void promptExtraAndPlaceholder_areInThePrompt() throws Exception {
    Files.writeString(folder.resolve("spec.md"), "the whole specification");
    List<String> prompts = new CopyOnWriteArrayList<>();
    Agent agent =
        turn -> {
          prompts.add(turn.prompt());
          return AgentResult.success();
        };
    new LoopBuilder(session, agent)
        .directory(folder)
        .prompt("Paint the fence")
        .extra("in green")
        .maxIterations(1)
        .run();
    new LoopBuilder(session, agent)
        .directory(folder)
        .template("{{spec}} and {{colour}}")
        .spec(Path.of("spec.md"))
        .placeholder("colour", () -> "blue")
        .maxIterations(1)
        .run();

    assertThat(prompts).hasSize(2);
    assertThat(prompts.get(0)).contains("Paint the fence", "in green");
    assertThat(prompts.get(1)).contains("and blue");
  }

  // ---- invalid values

  private static Arguments invalid(
      String message, Function<LoopBuilder, ? extends Loop.Builder> set) {
    return Arguments.of(message, set);
  }

  private static Stream<Arguments> invalidOptions() {
    Duration negative = Duration.ofSeconds(-1);
    return Stream.of(
        invalid("maxIterations must not be negative: -1", b -> b.maxIterations(-1)),
        invalid("maxFailures must be 1 or more, not 0", b -> b.maxFailures(0)),
        invalid("maxIdle must not be negative: -1", b -> b.maxIdle(-1)),
        invalid("maxAttempts must not be negative: -1", b -> b.maxAttempts(-1)),
        invalid("maxCost must be more than 0, not 0", b -> b.maxCost(BigDecimal.ZERO)),
        invalid("maxTokens must be more than 0, not 0", b -> b.maxTokens(0)),
        invalid("timeLimit must be more than 0, not PT0S", b -> b.timeLimit(Duration.ZERO)),
        invalid("lease must be more than 0, not PT0S", b -> b.lease(Duration.ZERO)),
        invalid("grace must not be negative: PT-1S", b -> b.grace(negative)),
        invalid("failurePause must not be negative: PT-1S", b -> b.failurePause(negative)),
        invalid("iterationMaxTokens must be more than 0", b -> b.iterationMaxTokens(-1)),
        invalid(
            "iterationMaxCost must be more than 0", b -> b.iterationMaxCost(new BigDecimal("-1"))),
        invalid("iterationTimeLimit must be more than 0", b -> b.iterationTimeLimit(negative)),
        invalid(
            "iterationTimeLimit must be more than 0",
            b -> b.plan(AGENT, own -> own.iterationTimeLimit(negative))),
        invalid(
            "the review interval must be at least 1 iteration, not 0",
            b -> b.review(0, AGENT, own -> {})),
        invalid("set a prompt or a template, not both", b -> b.prompt("a").template("b")),
        invalid("does not exist", b -> b.directory(Path.of("/no/such/folder"))),
        invalid("is a file", b -> b.directory(Path.of("pom.xml"))),
        invalid("the spec '", b -> b.spec(Path.of("no-such-spec.md"))),
        invalid("agents must be 1 to 64, not 0", b -> b.agents(0)),
        invalid("agents must be 1 to 64, not 65", b -> b.agents(65)),
        invalid("agents must be 1 to 64, not 0", b -> b.agents(List.of(), (agent, own) -> {})),
        invalid(
            "agents must be 1 to 64, not 65",
            b -> b.agents(Collections.nCopies(65, AGENT), (agent, own) -> {})),
        invalid("invalid environment variable", b -> b.variable("", "x")),
        invalid("invalid environment variable", b -> b.variable("A=B", "x")),
        invalid("invalid environment variable", b -> b.variable("A", "x\0")),
        invalid("is longer than 127 KiB", b -> b.variable("A", "x".repeat(130_048))),
        invalid("RALPH_SESSION is reserved", b -> b.variable("RALPH_SESSION", "x")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalidOptions")
  void invalidOption_isRejected(String message, Function<LoopBuilder, ? extends Loop.Builder> set) {
    assertThatThrownBy(() -> set.apply(builder()).build())
        .isInstanceOfSatisfying(
            RalphException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID))
        .hasMessageContaining(message);
    assertThat(session.control().steering().run()).as("no run was started").isNull();
  }

  @Test
  void longestVariable_isAccepted() {
    assertThat(roles(builder().variable("A", "x".repeat(130_047))).build().variables())
        .containsKey("A");
  }

  @Test
  void agentWithoutTools_isRejectedIfItNeedsThem() {
    Agent needy =
        new Agent() {
          @Override
          public AgentResult run(Turn turn) {
            return AgentResult.success();
          }

          @Override
          public boolean needsTools() {
            return true;
          }
        };
    LoopBuilder without = new LoopBuilder(session, needy).directory(folder);
    assertThatThrownBy(without::build).hasMessageContaining("set tools(…)");
    LoopBuilder with = without.tools(Tools.commands(Path.of("/bin/sh")));
    assertThatThrownBy(with::build)
        .as("the builder accepts the tools and checks them")
        .hasMessageContaining("no other process can use the store memory");
  }

  @Test
  void agentForOneLoop_isRejectedAsOneOfSeveral() throws Exception {
    REPOSITORY.copyTo(folder);
    Agent single =
        new Agent() {
          @Override
          public AgentResult run(Turn turn) {
            return AgentResult.success();
          }

          @Override
          public boolean canBeOneOfSeveral() {
            return false;
          }
        };
    assertThatThrownBy(() -> new LoopBuilder(session, single).directory(folder).agents(2).build())
        .hasMessageContaining("can't run beside other agents");
  }

  @Test
  void severalAgentsWithoutRepository_areRejected() {
    assertThatThrownBy(() -> builder().agents(2).build())
        .hasMessageContaining("several agents require a Git repository");
  }
}
