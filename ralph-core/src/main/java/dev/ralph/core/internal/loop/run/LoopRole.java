package dev.ralph.core.internal.loop.run;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.core.internal.loop.policy.Limits;
import dev.ralph.core.internal.prompt.SessionPrompt;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a role's iterations.
 *
 * @param timeLimit the time limit of one iteration, or null for no limit
 * @param limits the usage limits of one iteration
 * @param variables the host's variables for the agent's processes
 */
public record LoopRole(
    Iteration.Role role,
    Agent agent,
    SessionPrompt prompt,
    @Nullable Duration timeLimit,
    Limits limits,
    Map<String, String> variables) {}
