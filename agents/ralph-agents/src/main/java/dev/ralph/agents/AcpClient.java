package dev.ralph.agents;

import dev.ralph.agents.internal.ClientName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A client that speaks the Agent Client Protocol, with the settings that Ralph was tested with. See
 * {@link AcpAgent#builder(AcpClient)}.
 */
public enum AcpClient {
  /** GitHub Copilot CLI. Accepts tool servers only as an option of its command line. */
  COPILOT,
  /** Gemini CLI. Starts tool servers only in a trusted folder. */
  GEMINI,
  /** Kilo CLI. */
  KILO;

  private static final String TRUST = "--skip-trust";

  /** Returns the name of the program. */
  public String program() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the prefix of the session's tools in the client. */
  public String toolPrefix() {
    return switch (this) {
      case COPILOT -> "ralph-";
      case GEMINI -> "mcp_ralph_";
      case KILO -> "ralph_";
    };
  }

  /** Returns the client with a program, or null. */
  public static @Nullable AcpClient of(String program) {
    for (AcpClient client : values()) {
      if (client.program().equals(program)) {
        return client;
      }
    }
    return null;
  }

  ClientName clientName() {
    return switch (this) {
      case COPILOT -> ClientName.COPILOT;
      case GEMINI -> ClientName.GEMINI;
      case KILO -> ClientName.KILO;
    };
  }

  /** Returns the permissions in addition to those that the agent requests, as text for people. */
  String permissions() {
    return this == GEMINI ? "; the folder is trusted (" + TRUST + ")" : "";
  }

  /** Returns whether the model is an option of the command line instead of the session. */
  boolean hasModelOption() {
    return this != KILO;
  }

  /** Returns whether the tool server is an option of the command line instead of the session. */
  boolean hasToolOption() {
    return this == COPILOT;
  }

  /**
   * Returns the arguments of the client, without those of the user.
   *
   * @param server the tool server, or null for none
   */
  List<String> arguments(@Nullable String model, @Nullable AcpToolServer server) {
    List<String> all = new ArrayList<>(List.of(this == KILO ? "acp" : "--acp"));
    if (this == GEMINI) {
      all.add(TRUST);
    }
    if (model != null && hasModelOption()) {
      all.addAll(List.of("--model", model));
    }
    if (server != null && hasToolOption()) {
      // Copilot expands $NAME, ${NAME} and ${NAME:-DEFAULT}, once.
      String config = server.configuration(text -> text.replace("$", "${RALPH_NEVER_SET:-$}"));
      all.addAll(List.of("--additional-mcp-config", config));
    }
    return all;
  }

  /**
   * Returns whether a text of the agent is a failure of its model, which no other message reports.
   */
  boolean isModelError(String text) {
    return this == COPILOT && text.startsWith("Error: ");
  }

  /** Escapes the value of a variable in the session's tool server. */
  String variable(String value) {
    // Gemini CLI expands variables as dotenv does.
    return this == GEMINI ? value.replace("$", "\\$") : value;
  }
}
