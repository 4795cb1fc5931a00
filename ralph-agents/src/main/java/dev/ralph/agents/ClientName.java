package dev.ralph.agents;

/**
 * A client, as messages speak of it.
 *
 * @param name what people call it
 * @param install the command that installs it
 * @param tested the version that this was tested with
 * @param logInHow the command that logs it in, with what else does
 */
record ClientName(String name, String install, String tested, String logInHow) {

  static final ClientName OPENCODE =
      new ClientName(
          "opencode",
          "npm install -g opencode-ai",
          "1.18.33",
          "opencode auth login, or set the provider's key");
  static final ClientName CLAUDE =
      new ClientName(
          "Claude Code",
          "npm install -g @anthropic-ai/claude-code",
          "2.1.330",
          "claude auth login, or set ANTHROPIC_API_KEY");
  static final ClientName CODEX =
      new ClientName(
          "Codex",
          "npm install -g @openai/codex",
          "0.169.0",
          "codex login, or set the key that its configuration names");

  /** Returns a client that nothing is known of but its program. */
  static ClientName of(String program) {
    String name = program.substring(program.lastIndexOf('/') + 1);
    return new ClientName(name, "see its documentation", "", "its own command");
  }

  /** Returns the same client, which tells how to log in. */
  ClientName withLogIn(String how) {
    return new ClientName(name, install, tested, how);
  }

  /** Returns how to log in, to end a sentence with. */
  String logIn() {
    return "; log in with: " + logInHow;
  }
}
