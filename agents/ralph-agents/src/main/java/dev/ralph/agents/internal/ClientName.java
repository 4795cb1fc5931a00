package dev.ralph.agents.internal;

/**
 * A client as messages refer to it.
 *
 * @param name the product name
 * @param install the command to install the client
 * @param tested the version that Ralph was tested with
 * @param logInHow the login command and the alternatives
 */
public record ClientName(String name, String install, String tested, String logInHow) {

  /** opencode. */
  public static final ClientName OPENCODE =
      new ClientName(
          "opencode",
          "npm install -g opencode-ai",
          "1.18.33",
          "opencode auth login, or set the provider's key");

  /** Claude Code. */
  public static final ClientName CLAUDE =
      new ClientName(
          "Claude Code",
          "npm install -g @anthropic-ai/claude-code",
          "2.1.330",
          "claude auth login, or set ANTHROPIC_API_KEY");

  /** Codex. */
  public static final ClientName CODEX =
      new ClientName(
          "Codex",
          "npm install -g @openai/codex",
          "0.169.0",
          "codex login, or set the key named in its configuration");

  /** GitHub Copilot CLI. */
  public static final ClientName COPILOT =
      new ClientName(
          "Copilot",
          "npm install -g @github/copilot",
          "1.0.102",
          "copilot login, or set COPILOT_GITHUB_TOKEN or COPILOT_PROVIDER_BASE_URL");

  /** Gemini CLI. */
  public static final ClientName GEMINI =
      new ClientName(
          "Gemini CLI",
          "npm install -g @google/gemini-cli",
          "0.61.0",
          "gemini, or set GEMINI_API_KEY and add --agent-auth gemini-api-key once");

  /** Kilo CLI. */
  public static final ClientName KILO =
      new ClientName(
          "Kilo",
          "npm install -g @kilocode/cli",
          "7.7.7",
          "kilo auth login, or set the provider's key");

  /** Returns a client of which only the program is known. */
  public static ClientName of(String program) {
    String name = program.substring(program.lastIndexOf('/') + 1);
    return new ClientName(name, "see its documentation", "", "its own command");
  }

  /** Returns a copy with other login instructions. */
  public ClientName withLogIn(String how) {
    return new ClientName(name, install, tested, how);
  }

  /** Returns the login instructions as the end of a sentence. */
  public String logIn() {
    return "; log in with: " + logInHow;
  }
}
