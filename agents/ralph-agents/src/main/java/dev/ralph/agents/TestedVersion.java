package dev.ralph.agents;

import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Turn;
import dev.ralph.agents.internal.ClientCheck;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reports the version of a failed client if another version was tested, because a changed client is
 * a likely reason for an unclear failure. Queries the version once. Safe for use by several
 * threads.
 */
final class TestedVersion {

  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final ClientName client;
  private final ClientSettings settings;
  private final AtomicBoolean asked = new AtomicBoolean();

  TestedVersion(ClientName client, ClientSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  /** Returns the result. First sends a notice if another version may explain a failure. */
  AgentResult note(Turn turn, AgentResult result) {
    if (mayBeTheVersions(result) && !turn.cancelled() && !asked.getAndSet(true)) {
      String found = version(turn);
      if (!found.isEmpty() && !found.contains(client.tested())) {
        turn.notice("tested with " + client.name() + " " + client.tested() + ", found " + found);
      }
    }
    return result;
  }

  /**
   * Returns whether the version of the client may cause the failure; most other causes are outside
   * the client.
   */
  private static boolean mayBeTheVersions(AgentResult result) {
    Cause cause = result.cause();
    return switch (result.outcome()) {
      case SUCCESS, RATE_LIMITED -> false;
      case FAILURE, FATAL -> cause == null || cause == Cause.TOOLS_MISSING || cause == Cause.HUNG;
    };
  }

  /** Returns the client's version, or an empty string if unknown. */
  private String version(Turn turn) {
    ProcessSpec.Builder command =
        settings
            .command(turn, ClientCheck.VERSION, Map.of())
            .mark(ProcessMark.of(turn.processMark()));
    try (ClientCheck.Asked version = new ClientCheck.Asked(command)) {
      return version.await(LIMIT) == 0 ? version.version() : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
