package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.core.CommitOptions;
import dev.ralph.core.internal.loop.agent.Roles;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.loop.policy.RetryPause;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.prompt.PromptSource;
import dev.ralph.core.internal.prompt.SessionPrompt;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Configures a loop, and rejects invalid settings before the start. */
public final class LoopBuilder implements Loop.Builder {

  /** The limit of Linux is 128 KiB, including the name, an equals sign and a NUL. */
  private static final int LONGEST_VARIABLE = 127 * 1024;

  private static final int DEFAULT_MAX_ITERATIONS = 50;
  private static final int DEFAULT_MAX_FAILURES = 3;
  private static final int DEFAULT_MAX_IDLE = 5;
  private static final int DEFAULT_MAX_ATTEMPTS = 5;
  private static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);
  private static final Duration SHORTEST_USUAL_LEASE = Duration.ofSeconds(60);
  private static final Duration DEFAULT_FAILURE_PAUSE = Duration.ofSeconds(1);

  private final LiveSession session;
  private static final int MOST_AGENTS = 64;

  private final RoleBuilder build;

  /** The concurrent agents; empty if not configured. */
  private final List<RoleBuilder> beside = new ArrayList<>();

  private final PlacesBuilder workspaces = new PlacesBuilder();
  private final List<Gate> gates = new ArrayList<>();
  private final List<Gate> finalGates = new ArrayList<>();
  private final List<Consumer<LoopEvent>> listeners = new ArrayList<>();
  private IntConsumer beforeEnd = iteration -> {};
  private final Map<String, Supplier<String>> placeholders = new LinkedHashMap<>();
  private final Map<String, String> variables = new LinkedHashMap<>();
  private Predicate<Session> done = session -> false;
  private @Nullable Path spec;
  private @Nullable String prompt;
  private @Nullable RoleBuilder plan;
  private @Nullable RoleBuilder review;
  private int every;
  private String extra = "";
  private Path directory = Path.of("");
  private int maxIterations = DEFAULT_MAX_ITERATIONS;
  private @Nullable Duration timeLimit;
  private @Nullable BigDecimal maxCost;
  private @Nullable Long maxTokens;
  private int budgetFrom = Integer.MAX_VALUE;
  private boolean record = true;
  private int maxIdle = DEFAULT_MAX_IDLE;
  private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
  private Duration grace = DEFAULT_GRACE;
  private int maxFailures = DEFAULT_MAX_FAILURES;
  private Duration failurePause = DEFAULT_FAILURE_PAUSE;
  private boolean standBy;
  private boolean waitForAnswers;
  private @Nullable Duration lease;
  private @Nullable Executor executor;

  /** Creates the builder of a loop that runs an agent on a session. */
  public LoopBuilder(LiveSession session, Agent agent) {
    this.session = session;
    this.build = new RoleBuilder(agent);
  }

  @Override
  public LoopBuilder tools(Tools tools) {
    build.tools(tools);
    return this;
  }

  @Override
  public LoopBuilder spec(Path spec) {
    this.spec = Objects.requireNonNull(spec, "spec");
    return this;
  }

  @Override
  public LoopBuilder prompt(String prompt) {
    this.prompt = Objects.requireNonNull(prompt, "prompt");
    return this;
  }

  @Override
  public LoopBuilder template(String template) {
    build.template(template);
    return this;
  }

  @Override
  public LoopBuilder template(Path file) {
    build.template(file);
    return this;
  }

  @Override
  public LoopBuilder extra(String extra) {
    this.extra = Objects.requireNonNull(extra, "extra");
    return this;
  }

  @Override
  public LoopBuilder placeholder(String name, Supplier<String> text) {
    placeholders.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(text, "text"));
    return this;
  }

  @Override
  public LoopBuilder variable(String name, String value) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(value, "value");
    if (name.isEmpty() || name.indexOf('=') >= 0 || (name + value).indexOf('\0') >= 0) {
      throw RalphException.invalid(
          "invalid environment variable "
              + RalphException.quote(name)
              + ": a name must not be empty or contain =, and neither name nor value may"
              + " contain NUL");
    }
    if (name.length() + value.getBytes(StandardCharsets.UTF_8).length > LONGEST_VARIABLE) {
      throw RalphException.invalid(
          "the variable "
              + RalphException.quote(name)
              + " is longer than "
              + LONGEST_VARIABLE / 1024
              + " KiB, so processes would fail to start; write the value to a file and set the"
              + " variable to its path");
    }
    if (name.equals("RALPH_SESSION")) {
      throw RalphException.invalid(
          name + " is reserved for the loop's session; rename your variable");
    }
    variables.put(name, value);
    return this;
  }

  @Override
  public LoopBuilder plan(Agent planner, Consumer<Loop.RoleBuilder> own) {
    this.plan = new RoleBuilder(planner);
    Objects.requireNonNull(own, "own").accept(plan);
    return this;
  }

  @Override
  public LoopBuilder review(int every, Agent reviewer, Consumer<Loop.RoleBuilder> own) {
    this.every = every;
    this.review = new RoleBuilder(reviewer);
    Objects.requireNonNull(own, "own").accept(review);
    return this;
  }

  @Override
  public LoopBuilder agents(int agents) {
    if (agents < 1 || agents > MOST_AGENTS) {
      throw RalphException.invalid("agents must be 1 to " + MOST_AGENTS + ", not " + agents);
    }
    return agents(Collections.nCopies(agents, build.agent), (agent, own) -> {});
  }

  @Override
  public LoopBuilder agents(List<Agent> agents, BiConsumer<Agent, Loop.RoleBuilder> own) {
    Objects.requireNonNull(agents, "agents");
    Objects.requireNonNull(own, "own");
    if (agents.isEmpty() || agents.size() > MOST_AGENTS) {
      throw RalphException.invalid("agents must be 1 to " + MOST_AGENTS + ", not " + agents.size());
    }
    beside.clear();
    for (Agent agent : agents) {
      RoleBuilder role = new RoleBuilder(agent);
      own.accept(agent, role);
      beside.add(role);
    }
    return this;
  }

  /** Returns whether several agents work concurrently. */
  public boolean hasSeveral() {
    return beside.size() > 1;
  }

  /**
   * Makes work of several agents count as merged only after it is pushed to the session's branch in
   * another repository.
   */
  public void pushAlways(String address) {
    workspaces.pushAlways(address);
  }

  /** Returns the options of commits. */
  public CommitOptions commits() {
    return workspaces.commits();
  }

  /**
   * Sets an action that saves the work of the only agent before the end of its iteration is
   * recorded. So no recorded work is lost.
   *
   * @param keep called with the iteration's number, possibly more than once, by the thread that
   *     steps; must not throw
   */
  public void beforeEnd(IntConsumer keep) {
    this.beforeEnd = keep;
  }

  @Override
  public LoopBuilder workspaces(Consumer<Loop.WorkspaceBuilder> places) {
    Objects.requireNonNull(places, "places").accept(workspaces);
    return this;
  }

  @Override
  public LoopBuilder directory(Path directory) {
    this.directory = Objects.requireNonNull(directory, "directory");
    return this;
  }

  @Override
  public LoopBuilder maxIterations(int iterations) {
    this.maxIterations = iterations;
    return this;
  }

  @Override
  public LoopBuilder timeLimit(Duration limit) {
    this.timeLimit = Objects.requireNonNull(limit, "limit");
    return this;
  }

  @Override
  public LoopBuilder iterationTimeLimit(Duration limit) {
    build.iterationTimeLimit(limit);
    return this;
  }

  @Override
  public LoopBuilder maxCost(BigDecimal usd) {
    this.maxCost = Objects.requireNonNull(usd, "usd");
    return this;
  }

  @Override
  public LoopBuilder maxTokens(long tokens) {
    this.maxTokens = tokens;
    return this;
  }

  @Override
  public LoopBuilder budgetFrom(int iteration) {
    this.budgetFrom = iteration;
    return this;
  }

  @Override
  public LoopBuilder iterationMaxCost(BigDecimal usd) {
    build.iterationMaxCost(usd);
    return this;
  }

  @Override
  public LoopBuilder iterationMaxTokens(long tokens) {
    build.iterationMaxTokens(tokens);
    return this;
  }

  @Override
  public LoopBuilder record(boolean keep) {
    this.record = keep;
    return this;
  }

  @Override
  public LoopBuilder maxIdle(int iterations) {
    this.maxIdle = iterations;
    return this;
  }

  @Override
  public LoopBuilder maxAttempts(int attempts) {
    this.maxAttempts = attempts;
    return this;
  }

  @Override
  public LoopBuilder grace(Duration grace) {
    this.grace = RetryPause.bounded(Objects.requireNonNull(grace, "grace"));
    return this;
  }

  @Override
  public LoopBuilder standBy(boolean wait) {
    this.standBy = wait;
    return this;
  }

  @Override
  public LoopBuilder waitForAnswers(boolean wait) {
    this.waitForAnswers = wait;
    return this;
  }

  @Override
  public LoopBuilder lease(Duration lease) {
    this.lease = RetryPause.bounded(Objects.requireNonNull(lease, "lease"));
    return this;
  }

  @Override
  public LoopBuilder gate(Gate gate) {
    gates.add(Objects.requireNonNull(gate, "gate"));
    return this;
  }

  @Override
  public LoopBuilder finalGate(Gate gate) {
    finalGates.add(Objects.requireNonNull(gate, "gate"));
    return this;
  }

  @Override
  public LoopBuilder doneWhen(Predicate<Session> done) {
    this.done = Objects.requireNonNull(done, "done");
    return this;
  }

  @Override
  public LoopBuilder maxFailures(int failures) {
    this.maxFailures = failures;
    return this;
  }

  @Override
  public LoopBuilder failurePause(Duration pause) {
    this.failurePause = RetryPause.bounded(Objects.requireNonNull(pause, "pause"));
    return this;
  }

  @Override
  public LoopBuilder onEvent(Consumer<LoopEvent> listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public LoopBuilder executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  @Override
  public Loop build() {
    List<RoleBuilder> agents = beside.isEmpty() ? List.of(build) : beside;
    List<RoleBuilder> roles =
        Stream.concat(agents.stream(), Stream.of(plan, review)).filter(Objects::nonNull).toList();
    if (agents.size() > 1 && !agents.stream().allMatch(role -> role.agent.canBeOneOfSeveral())) {
      throw RalphException.invalid(
          "an agent with its own server can't run beside other agents; run opencode without its"
              + " server");
    }
    for (RoleBuilder role : roles) {
      role.addFrom(build);
      role.check();
    }
    if (review != null && every < 1) {
      throw RalphException.invalid(
          "the review interval must be at least 1 iteration, not " + every);
    }
    if (prompt != null && build.template != null) {
      throw RalphException.invalid("set a prompt or a template, not both");
    }
    if (maxIterations < 0) {
      throw RalphException.invalid("maxIterations must not be negative: " + maxIterations);
    }
    if (maxFailures < 1) {
      throw RalphException.invalid("maxFailures must be 1 or more, not " + maxFailures);
    }
    if (maxIdle < 0) {
      throw RalphException.invalid("maxIdle must not be negative: " + maxIdle);
    }
    if (maxAttempts < 0) {
      throw RalphException.invalid("maxAttempts must not be negative: " + maxAttempts);
    }
    requirePositive("maxCost", maxCost);
    requirePositive("maxTokens", maxTokens);
    requirePositive("timeLimit", timeLimit);
    requirePositive("lease", lease);
    requireNotNegative("grace", grace);
    requireNotNegative("failurePause", failurePause);
    // Absolute, because the host may change its working directory later.
    Path folder = directory.toAbsolutePath().normalize();
    if (!Files.isDirectory(folder)) {
      throw RalphException.invalid(
          "the working folder "
              + quote(folder)
              + (Files.exists(folder) ? " is a file" : " does not exist"));
    }
    Path document = spec == null ? null : folder.resolve(spec).normalize();
    if (document != null && !Files.exists(document)) {
      throw RalphException.invalid("the spec " + quote(document) + " does not exist");
    }
    boolean isOwnTree = StartCheck.isWorkTree(folder) || agents.size() > 1 && workspaces.areTrees();
    for (RoleBuilder role : roles) {
      role.requireReady(isOwnTree ? null : folder, session);
    }
    LoopSettings settings =
        new LoopSettings(
            folder,
            maxIterations,
            timeLimit,
            new Limits(maxCost, maxTokens),
            budgetFrom,
            record,
            maxIdle,
            maxAttempts,
            grace,
            maxFailures,
            failurePause,
            standBy,
            waitForAnswers,
            List.copyOf(gates),
            List.copyOf(finalGates),
            done,
            List.copyOf(listeners),
            beforeEnd,
            lease == null ? usualLease() : lease,
            executor,
            agents.size() == 1
                ? null
                : workspaces.of(
                    agents.stream()
                        .map(agent -> role(Iteration.Role.BUILD, agent, document))
                        .toList()));
    Roles all =
        new Roles(
            role(Iteration.Role.BUILD, agents.get(0), document),
            plan == null ? null : role(Iteration.Role.PLAN, plan, document),
            review == null ? null : role(Iteration.Role.REVIEW, review, document),
            every,
            document != null || prompt != null);
    return new LoopRun(session, settings, all);
  }

  private LoopRole role(Iteration.Role role, RoleBuilder set, @Nullable Path document) {
    PromptSource own = set.template;
    if (own == null) {
      own = role == Iteration.Role.BUILD ? promptSource() : promptSource().withRole();
    }
    if (beside.size() > 1) {
      own = own.withTask();
    }
    SessionPrompt text =
        new SessionPrompt(own, role, session::agentStore, set.tools, document, extra, placeholders);
    return new LoopRole(role, set.agent, text, set.timeLimit, set.limits(), withTools(set.tools));
  }

  /** A server may be shared by several machines, which do not see each other's processes. */
  private @Nullable Duration usualLease() {
    if (!StoreLocation.of(session.log().store().info().location()).isServer()) {
      return null;
    }
    Duration withGrace = grace.multipliedBy(4);
    return withGrace.compareTo(SHORTEST_USUAL_LEASE) < 0 ? SHORTEST_USUAL_LEASE : withGrace;
  }

  /**
   * The prompt refers to the variables of the tools, so they override the variables of the host.
   */
  private Map<String, String> withTools(@Nullable Tools tools) {
    Map<String, String> all = new HashMap<>(variables);
    if (tools != null) {
      all.putAll(tools.variables());
    }
    return Map.copyOf(all);
  }

  private PromptSource promptSource() {
    if (prompt != null) {
      return PromptSource.prompt(prompt);
    }
    return build.template == null ? PromptSource.builtIn() : build.template;
  }

  @Override
  public LoopResult run() {
    try (Loop loop = build()) {
      return loop.run();
    }
  }

  private static String quote(Path path) {
    return RalphException.quote(path.toString());
  }

  static void requirePositive(String name, @Nullable Duration time) {
    if (time != null && (time.isZero() || time.isNegative())) {
      throw RalphException.invalid(name + " must be more than 0, not " + time);
    }
  }

  static void requirePositive(String name, @Nullable BigDecimal usd) {
    if (usd != null && usd.signum() <= 0) {
      throw RalphException.invalid(name + " must be more than 0, not " + usd);
    }
  }

  static void requirePositive(String name, @Nullable Long tokens) {
    if (tokens != null && tokens <= 0) {
      throw RalphException.invalid(name + " must be more than 0, not " + tokens);
    }
  }

  private static void requireNotNegative(String name, Duration time) {
    if (time.isNegative()) {
      throw RalphException.invalid(name + " must not be negative: " + time);
    }
  }
}
