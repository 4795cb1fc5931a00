package dev.ralph.core.internal.loop;

import static dev.ralph.core.internal.loop.LoopBuilder.requirePositive;

import dev.ralph.Agent;
import dev.ralph.Loop;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.prompt.PromptSource;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.log.RalphException;
import dev.ralph.tool.Tools;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The configuration of a role. */
final class RoleBuilder implements Loop.RoleBuilder {

  final Agent agent;
  @Nullable Tools tools;
  @Nullable PromptSource template;
  @Nullable Duration timeLimit;
  private @Nullable BigDecimal maxCost;
  private @Nullable Long maxTokens;

  RoleBuilder(Agent agent) {
    this.agent = Objects.requireNonNull(agent, "agent");
  }

  @Override
  public RoleBuilder tools(Tools tools) {
    this.tools = Objects.requireNonNull(tools, "tools");
    return this;
  }

  @Override
  public RoleBuilder template(String template) {
    this.template = PromptSource.template(Objects.requireNonNull(template, "template"));
    return this;
  }

  @Override
  public RoleBuilder template(Path file) {
    this.template = PromptSource.file(Objects.requireNonNull(file, "file"));
    return this;
  }

  @Override
  public RoleBuilder iterationTimeLimit(Duration limit) {
    this.timeLimit = Objects.requireNonNull(limit, "limit");
    return this;
  }

  @Override
  public RoleBuilder iterationMaxCost(BigDecimal usd) {
    this.maxCost = Objects.requireNonNull(usd, "usd");
    return this;
  }

  @Override
  public RoleBuilder iterationMaxTokens(long tokens) {
    this.maxTokens = tokens;
    return this;
  }

  /** Copies missing settings from the loop's settings. */
  void addFrom(RoleBuilder loop) {
    tools = tools == null ? loop.tools : tools;
    timeLimit = timeLimit == null ? loop.timeLimit : timeLimit;
    maxCost = maxCost == null ? loop.maxCost : maxCost;
    maxTokens = maxTokens == null ? loop.maxTokens : maxTokens;
  }

  Limits limits() {
    return new Limits(maxCost, maxTokens);
  }

  /** Validates the settings. */
  void check() {
    if (agent.needsTools() && tools == null) {
      throw RalphException.invalid(
          "the agent reaches the session only through tools named in its prompt; set tools(…)");
    }
    requirePositive("iterationMaxCost", maxCost);
    requirePositive("iterationMaxTokens", maxTokens);
    requirePositive("iterationTimeLimit", timeLimit);
  }

  /**
   * Checks that the agent and the tools can start.
   *
   * @param folder the agent's folder; null if the loop checks the agent after the folder is
   *     prepared
   */
  void requireReady(@Nullable Path folder, LiveSession session) {
    if (folder != null) {
      agent.requireReady(folder);
    }
    if (tools != null) {
      tools.requireReady(session.agentStore());
    }
  }
}
