package dev.ralph.agents;

import static org.assertj.core.api.Assertions.fail;

import dev.ralph.agents.ScriptedModelServer.Reply;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An isolated environment for a real client. All of its state is below one folder, a scripted model
 * is its only provider, and network features are disabled.
 */
public final class ClientSandbox {

  /** A client, with its details that a scripted model needs. */
  public enum Client {
    OPENCODE("opencode-ai@1.18.33"),
    CLAUDE("@anthropic-ai/claude-code@2.1.330"),
    CODEX("@openai/codex@0.169.0"),
    COPILOT("@github/copilot@1.0.102"),
    GEMINI("@google/gemini-cli@0.61.0"),
    KILO("@kilocode/cli@7.7.7");

    private final String npmPackage;

    Client(String npmPackage) {
      this.npmPackage = npmPackage;
    }

    /** Returns the name of the client's command, which {@code ralph build --agent} uses too. */
    public String command() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the program of the client. Fails the test if the program is missing. */
    public Path program() {
      return ClientSandbox.program("RALPH_" + name(), npmPackage, command());
    }

    /** Returns the name by which the model calls a tool of the session's server. */
    public String sessionTool(String tool) {
      AcpClient acp = AcpClient.of(command());
      return acp != null
          ? acp.toolPrefix() + tool
          : (this == OPENCODE ? "ralph_" : "mcp__ralph__") + tool;
    }

    /** Returns a reply that calls the client's own shell. */
    public Reply shell(String command) {
      return switch (this) {
        case OPENCODE, COPILOT, KILO ->
            Reply.tool("bash", Map.of("command", command, "description", "works"));
        case CLAUDE -> Reply.tool("Bash", Map.of("command", command, "description", "works"));
        // Otherwise Codex continues after ten seconds, before the command ends.
        case CODEX -> Reply.tool("exec_command", Map.of("cmd", command, "yield_time_ms", 30_000));
        case GEMINI -> Reply.tool("run_shell_command", Map.of("command", command));
      };
    }
  }

  private static final String CODEX_CONFIG =
      """
      model = "scripted"
      model_provider = "scripted"
      [model_providers.scripted]
      name = "scripted"
      base_url = "%s"
      env_key = "SCRIPTED_KEY"
      wire_api = "responses"
      [features]
      plugins = false
      """;

  private final Client client;
  private final Path project;
  private final Path debugLog;
  private final Map<String, String> environment = new TreeMap<>();

  private ClientSandbox(Client client, Path root, URI modelOrigin) throws IOException {
    this.client = client;
    project = Files.createDirectories(root.resolve("a project"));
    debugLog = root.resolve("debug.log");
    // The client's shell reads a profile there. The user's own profile may take a minute, or never
    // end.
    environment.put("HOME", folder(root, "home").toString());
    switch (client) {
      case OPENCODE ->
          environment.putAll(
              OpencodeSandbox.in(root, URI.create(modelOrigin + "/v1")).environment());
      case CLAUDE -> {
        environment.put("CLAUDE_CONFIG_DIR", folder(root, "claude").toString());
        environment.put("ANTHROPIC_BASE_URL", modelOrigin.toString());
        environment.put("ANTHROPIC_API_KEY", "scripted-key");
        for (String off :
            new String[] {
              "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
              "DISABLE_AUTOUPDATER",
              "DISABLE_TELEMETRY",
              "DISABLE_ERROR_REPORTING"
            }) {
          environment.put(off, "1");
        }
      }
      case CODEX -> {
        Path home = folder(root, "codex");
        Files.writeString(home.resolve("config.toml"), CODEX_CONFIG.formatted(modelOrigin + "/v1"));
        environment.put("CODEX_HOME", home.toString());
        environment.put("SCRIPTED_KEY", "scripted-key");
      }
      case COPILOT -> {
        environment.put("COPILOT_HOME", folder(root, "copilot").toString());
        environment.put("COPILOT_PROVIDER_BASE_URL", modelOrigin + "/v1");
        environment.put("COPILOT_PROVIDER_API_KEY", "scripted-key");
        environment.put("COPILOT_MODEL", "scripted");
        environment.put("COPILOT_OFFLINE", "true");
      }
      case GEMINI -> {
        Path settings = folder(root, "home/.gemini").resolve("settings.json");
        Files.writeString(settings, "{\"privacy\":{\"usageStatisticsEnabled\":false}}");
        environment.put("GOOGLE_GEMINI_BASE_URL", modelOrigin.toString());
        environment.put("GEMINI_API_KEY", "scripted-key");
        // The default, "auto", asks another model which model to ask.
        environment.put("GEMINI_MODEL", "scripted");
      }
      case KILO -> environment.putAll(OpencodeSandbox.kilo(root, URI.create(modelOrigin + "/v1")));
    }
  }

  /** Returns the program at the path in a variable. Fails the test if the program is missing. */
  static Path program(String variable, String npmPackage, String name) {
    String path =
        Optional.ofNullable(System.getProperty(variable))
            .filter(property -> !property.isBlank())
            .orElse(System.getenv(variable));
    if (path == null || path.isBlank() || !Files.isExecutable(Path.of(path))) {
      fail(
          "These tests need the program "
              + name
              + ": npm install "
              + npmPackage
              + ", then set "
              + variable
              + " (now "
              + path
              + ") to the path of its node_modules/.bin/"
              + name);
    }
    return Path.of(path).toAbsolutePath();
  }

  /**
   * Creates a sandbox, or updates an existing sandbox for another model.
   *
   * @param modelOrigin the model's address without a path
   */
  public static ClientSandbox of(Client client, Path root, URI modelOrigin) throws IOException {
    return new ClientSandbox(client, root, modelOrigin);
  }

  private static Path folder(Path root, String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  /** Returns the working folder, whose path contains a space. */
  public Path project() {
    return project;
  }

  /** Returns the environment variables of the client. */
  public Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** Returns the end of the client's debug log, or an empty text without a log. */
  String debugLogTail() throws IOException {
    if (!Files.exists(debugLog)) {
      return "";
    }
    List<String> lines = Files.readAllLines(debugLog);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 25), lines.size()));
  }

  /** Sets a variable in the environment. */
  public ClientSandbox with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Returns an agent that runs the real client in this sandbox; opencode uses a free port. */
  ClientBuilder<?> agent() throws IOException {
    ClientBuilder<?> agent =
        switch (client) {
          case OPENCODE ->
              OpencodeAgent.builder().model(OpencodeSandbox.MODEL).port(OpencodeSandbox.freePort());
          case CLAUDE ->
              ClaudeAgent.builder().arguments(List.of("--debug-file", debugLog.toString()));
          case CODEX -> CodexAgent.builder();
          case COPILOT -> AcpAgent.builder(AcpClient.COPILOT);
          case GEMINI -> AcpAgent.builder(AcpClient.GEMINI);
          case KILO -> AcpAgent.builder(AcpClient.KILO);
        };
    agent.program(client.program().toString());
    environment.forEach(agent::environment);
    return agent;
  }
}
