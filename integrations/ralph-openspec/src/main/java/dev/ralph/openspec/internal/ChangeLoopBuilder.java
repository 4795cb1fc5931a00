package dev.ralph.openspec.internal;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.core.Worktree;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds a loop over a change: see {@link ChangeLoop#of}. The loop of each story gets all settings,
 * and the rest of the limits after earlier stories.
 */
public final class ChangeLoopBuilder implements Loop.Builder {

  private static final int MAX_ITERATIONS = 50;

  private final ChangeSession work;
  private final Agent agent;
  private final List<Consumer<Loop.Builder>> settings = new ArrayList<>();
  private int maxIterations = MAX_ITERATIONS;
  private @Nullable Duration timeLimit;
  private @Nullable Executor executor;
  private boolean hasPrompt;
  private @Nullable Worktree worktree;
  private boolean areSeveral;
  private Predicate<Session> done = session -> true;

  ChangeLoopBuilder(ChangeSession work, Agent agent) {
    this.work = Objects.requireNonNull(work, "work");
    this.agent = Objects.requireNonNull(agent, "agent");
  }

  /** Adds the common settings to the loop of a story. */
  void addTo(Loop.Builder loop) {
    loop.directory(work.project());
    if (!hasPrompt) {
      loop.template(StoryPrompt.template());
    }
    settings.forEach(setting -> setting.accept(loop));
  }

  /** Returns the limits of all stories together. */
  ChangeUsage.Limits limits() {
    return new ChangeUsage.Limits(maxIterations, timeLimit);
  }

  /** Returns the executor of the loop, agents and gates; null for threads of their own. */
  @Nullable Executor executor() {
    return executor;
  }

  /** Returns the additional condition for a completed story. */
  Predicate<Session> done() {
    return done;
  }

  /** Returns the strategy for ticking tasks and committing changes. */
  StoryWork storyWork() {
    return areSeveral ? new SeveralAgents(work, worktree) : new OneAgent(work, worktree);
  }

  private ChangeLoopBuilder set(Consumer<Loop.Builder> setting) {
    settings.add(setting);
    return this;
  }

  // ---- limits of all stories together

  @Override
  public ChangeLoopBuilder maxIterations(int iterations) {
    this.maxIterations = iterations;
    return this;
  }

  @Override
  public ChangeLoopBuilder timeLimit(Duration limit) {
    this.timeLimit = Objects.requireNonNull(limit, "limit");
    return this;
  }

  @Override
  public ChangeLoopBuilder maxCost(BigDecimal usd) {
    return set(loop -> loop.maxCost(usd));
  }

  @Override
  public ChangeLoopBuilder maxTokens(long tokens) {
    return set(loop -> loop.maxTokens(tokens));
  }

  /** {@inheritDoc} By default, all stories of this run and of killed runs before it count. */
  @Override
  public ChangeLoopBuilder budgetFrom(int iteration) {
    return set(loop -> loop.budgetFrom(iteration));
  }

  // ---- place of the work

  /**
   * Sets a work tree, which must contain the session's project. The changes of each story are
   * committed there. The commit is the last gate of a story, so the agent learns the reason if a
   * hook rejects it. To reject a branch of another store, open the work tree with the {@linkplain
   * ChangeSession#topic topic} of the change.
   *
   * <p>If a story fails or makes no progress, its uncommitted changes are set aside on a separate
   * branch; the next run restarts the story. The work of several agents is merged into the branch
   * of this work tree.
   */
  public ChangeLoopBuilder worktree(Worktree worktree) {
    this.worktree = Objects.requireNonNull(worktree, "worktree");
    return this;
  }

  // ---- several agents

  /**
   * {@inheritDoc} The agents work on the tasks of one story at a time, and need a {@link
   * #worktree}. All tasks are merged into the branch of the work tree. Only the merge of a task
   * ticks the task. The project's checks and tests run on each merge.
   */
  @Override
  public ChangeLoopBuilder agents(int agents) {
    areSeveral = agents > 1;
    return set(loop -> loop.agents(agents));
  }

  /** {@inheritDoc} See {@link #agents(int)}. */
  @Override
  public ChangeLoopBuilder agents(List<Agent> agents, BiConsumer<Agent, Loop.RoleBuilder> own) {
    areSeveral = agents.size() > 1;
    return set(loop -> loop.agents(agents, own));
  }

  @Override
  public ChangeLoopBuilder workspaces(Consumer<Loop.WorkspaceBuilder> places) {
    return set(loop -> loop.workspaces(places));
  }

  // ---- settings of each story's loop

  /** {@inheritDoc} The change contains the tasks of a story, so there is nothing to plan. */
  @Override
  public ChangeLoopBuilder plan(Agent planner, Consumer<Loop.RoleBuilder> own) {
    return set(loop -> loop.plan(planner, own));
  }

  @Override
  public ChangeLoopBuilder review(int every, Agent reviewer, Consumer<Loop.RoleBuilder> own) {
    return set(loop -> loop.review(every, reviewer, own));
  }

  @Override
  public ChangeLoopBuilder tools(Tools tools) {
    return set(loop -> loop.tools(tools));
  }

  @Override
  public ChangeLoopBuilder spec(Path spec) {
    return set(loop -> loop.spec(spec));
  }

  /**
   * {@inheritDoc} The prompt must contain the required placeholders of {@link
   * StoryPrompt#template}, such as <code>{{story}}</code>.
   */
  @Override
  public ChangeLoopBuilder prompt(String prompt) {
    hasPrompt = true;
    return set(loop -> loop.prompt(prompt));
  }

  @Override
  public ChangeLoopBuilder template(String template) {
    return set(loop -> loop.template(template));
  }

  @Override
  public ChangeLoopBuilder template(Path file) {
    return set(loop -> loop.template(file));
  }

  @Override
  public ChangeLoopBuilder extra(String extra) {
    return set(loop -> loop.extra(extra));
  }

  /** {@inheritDoc} The variable {@code RALPH_STORY} contains the id of the story. */
  @Override
  public ChangeLoopBuilder variable(String name, String value) {
    return set(loop -> loop.variable(name, value));
  }

  @Override
  public ChangeLoopBuilder directory(Path directory) {
    return set(loop -> loop.directory(directory));
  }

  @Override
  public ChangeLoopBuilder iterationMaxCost(BigDecimal usd) {
    return set(loop -> loop.iterationMaxCost(usd));
  }

  @Override
  public ChangeLoopBuilder iterationMaxTokens(long tokens) {
    return set(loop -> loop.iterationMaxTokens(tokens));
  }

  @Override
  public ChangeLoopBuilder record(boolean keep) {
    return set(loop -> loop.record(keep));
  }

  @Override
  public ChangeLoopBuilder maxIdle(int iterations) {
    return set(loop -> loop.maxIdle(iterations));
  }

  @Override
  public ChangeLoopBuilder iterationTimeLimit(Duration limit) {
    return set(loop -> loop.iterationTimeLimit(limit));
  }

  @Override
  public ChangeLoopBuilder maxAttempts(int attempts) {
    return set(loop -> loop.maxAttempts(attempts));
  }

  @Override
  public ChangeLoopBuilder grace(Duration grace) {
    return set(loop -> loop.grace(grace));
  }

  @Override
  public ChangeLoopBuilder lease(Duration lease) {
    return set(loop -> loop.lease(lease));
  }

  @Override
  public ChangeLoopBuilder standBy(boolean wait) {
    return set(loop -> loop.standBy(wait));
  }

  @Override
  public ChangeLoopBuilder waitForAnswers(boolean wait) {
    return set(loop -> loop.waitForAnswers(wait));
  }

  @Override
  public ChangeLoopBuilder gate(Gate gate) {
    return set(loop -> loop.gate(gate));
  }

  @Override
  public ChangeLoopBuilder maxFailures(int failures) {
    return set(loop -> loop.maxFailures(failures));
  }

  @Override
  public ChangeLoopBuilder failurePause(Duration pause) {
    return set(loop -> loop.failurePause(pause));
  }

  @Override
  public ChangeLoopBuilder executor(Executor executor) {
    this.executor = executor;
    return set(loop -> loop.executor(executor));
  }

  @Override
  public ChangeLoopBuilder onEvent(Consumer<LoopEvent> listener) {
    return set(loop -> loop.onEvent(listener));
  }

  @Override
  public ChangeLoopBuilder finalGate(Gate gate) {
    return set(loop -> loop.finalGate(gate));
  }

  @Override
  public ChangeLoopBuilder placeholder(String name, Supplier<String> text) {
    return set(loop -> loop.placeholder(name, text));
  }

  /** Sets an additional condition for the completion of a story whose tasks are all ticked. */
  @Override
  public ChangeLoopBuilder doneWhen(Predicate<Session> done) {
    this.done = Objects.requireNonNull(done, "done");
    return this;
  }

  // ---- building

  @Override
  public ChangeLoop build() {
    return new ChangeLoop(work, agent, this);
  }

  @Override
  public LoopResult run() {
    try (ChangeLoop loop = build()) {
      return loop.run();
    }
  }
}
