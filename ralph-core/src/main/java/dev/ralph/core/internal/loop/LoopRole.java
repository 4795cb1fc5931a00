package dev.ralph.core.internal.loop;

import dev.ralph.Agent;
import dev.ralph.Iteration;
import dev.ralph.core.internal.prompt.SessionPrompt;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the iterations of a role work with.
 *
 * @param timeLimit of one iteration, or null for no limit
 * @param limits of what one iteration may use
 * @param variables the host's, for the agent's processes
 */
record LoopRole(
    Iteration.Role role,
    Agent agent,
    SessionPrompt prompt,
    @Nullable Duration timeLimit,
    Limits limits,
    Map<String, String> variables) {}
