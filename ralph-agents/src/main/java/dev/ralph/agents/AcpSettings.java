package dev.ralph.agents;

import dev.ralph.agents.AcpAgent.Permission;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a user wants an agent to be run that speaks the protocol. Immutable.
 *
 * @param client what can be said of every client
 * @param mode null for the agent's own choice
 * @param authentication the method to log in by, or null for what the agent has
 * @param answerLimit how long it may take for each answer but that to its prompt
 * @param toolsLimit how long it may take to ask for its tools before it is prompted all the same
 */
record AcpSettings(
    ClientSettings client,
    Permission permission,
    @Nullable String mode,
    @Nullable String authentication,
    Duration answerLimit,
    Duration toolsLimit) {}
