package dev.ralph.agents;

import dev.ralph.agents.AcpAgent.Permission;
import dev.ralph.agents.internal.ClientName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an agent that speaks the Agent Client Protocol. Immutable.
 *
 * @param client the settings common to all clients
 * @param named the client, or null if only its program is known
 * @param mode the mode, or null for the agent's choice
 * @param authentication the login method, or null to use the present login
 * @param answerLimit the time limit of each response except the response to the prompt
 * @param toolsLimit the longest wait for the agent to list its tools before the prompt is sent
 */
record AcpSettings(
    ClientSettings client,
    @Nullable AcpClient named,
    Permission permission,
    @Nullable String mode,
    @Nullable String authentication,
    Duration answerLimit,
    Duration toolsLimit) {

  /** Returns the client as messages refer to it. */
  ClientName clientName() {
    return named == null ? ClientName.of(client.program()) : named.clientName();
  }

  /** Returns the model to select in the session, or null for none. */
  @Nullable String sessionModel() {
    return named != null && named.hasModelOption() ? null : client.model();
  }
}
