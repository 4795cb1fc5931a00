package dev.ralph.openspec;

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
 * Sets up a loop over a change: made by {@link ChangeLoop#of}. Each story's loop is given all
 * settings, and of the limits what earlier stories have left.
 */
public final class ChangeLoopBuilder implements Loop.Builder {

  private static final int MAX_ITERATIONS = 50;

  private final ChangeSession work;
  private final Agent agent;
  private final List<Consumer<Loop.Builder>> settings = new ArrayList<>();
  private int maxIterations = MAX_ITERATIONS;
  private @Nullable Duration timeLimit;
  private boolean hasPrompt;
  private @Nullable Worktree worktree;
  private boolean areSeveral;
  private Predicate<Session> done = session -> true;

  ChangeLoopBuilder(ChangeSession work, Agent agent) {
    this.work = Objects.requireNonNull(work, "work");
    this.agent = Objects.requireNonNull(agent, "agent");
  }

  /** Gives a story's loop what all of them have in common. */
  void addTo(Loop.Builder loop) {
    loop.directory(work.project());
    if (!hasPrompt) {
      loop.template(StoryPrompt.template());
    }
    settings.forEach(setting -> setting.accept(loop));
  }

  /** Returns the limits of all stories together. */
  Spent.Limits limits() {
    return new Spent.Limits(maxIterations, timeLimit);
  }

  /** Returns what must hold besides. */
  Predicate<Session> done() {
    return done;
  }

  /** Returns how boxes are ticked and what is done is committed. */
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

  /** {@inheritDoc} If not set, all stories of this run and of killed ones before it count. */
  @Override
  public ChangeLoopBuilder budgetFrom(int iteration) {
    return set(loop -> loop.budgetFrom(iteration));
  }

  // ---- where the work goes

  /**
   * Sets that what each story has changed is committed in a work tree, which the session's project
   * has to be in: as the last of its gates, so that the agent is told where a hook refuses it. What
   * a story has left that failed, or in which nothing changes any more, is set aside on a branch of
   * its own; the next run begins that story again. Of several agents the branch is the one that
   * their work lands on.
   */
  public ChangeLoopBuilder worktree(Worktree worktree) {
    this.worktree = Objects.requireNonNull(worktree, "worktree");
    return this;
  }

  // ---- several agents

  /**
   * {@inheritDoc} They work on the tasks of one story after the other, and need {@link #worktree}:
   * on its branch all lands, in each landing with the box of its task, so that nobody else ticks.
   * The project's checks and tests run on each landing.
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

  // ---- what every story's loop is given

  /** {@inheritDoc} The tasks of a story stand in its change, so there is nothing to plan. */
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
   * {@inheritDoc} It has to name the placeholders of {@link ChangeLoop#defaultTemplate} that it
   * needs, such as <code>{{story}}</code>.
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

  /** {@inheritDoc} Besides, {@code RALPH_STORY} has the id of the story. */
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

  /** Sets what must hold besides for a story whose tasks are all ticked to be done. */
  @Override
  public ChangeLoopBuilder doneWhen(Predicate<Session> done) {
    this.done = Objects.requireNonNull(done, "done");
    return this;
  }

  // ---- making it

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
