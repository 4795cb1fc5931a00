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
 * A place for a real client to run in, all of its state below one folder, with a scripted model for
 * its only provider and nothing that asks the network.
 */
public final class ClientSandbox {

  /** A client, and what of it is needed to speak for its model. */
  public enum Client {
    OPENCODE("opencode-ai@1.18.33"),
    CLAUDE("@anthropic-ai/claude-code@2.1.330"),
    CODEX("@openai/codex@0.169.0");

    private final String npmPackage;

    Client(String npmPackage) {
      this.npmPackage = npmPackage;
    }

    /** What it is called, by {@code ralph build --agent} too. */
    public String command() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Its program, to test with. A test that needs it fails without. */
    public Path program() {
      return ClientSandbox.program("RALPH_" + name(), npmPackage, command());
    }

    /** What the model calls a tool of the session's server. */
    public String sessionTool(String tool) {
      return (this == OPENCODE ? "ralph_" : "mcp__ralph__") + tool;
    }

    /** Has the model call the client's own shell. */
    public Reply shell(String command) {
      return switch (this) {
        case OPENCODE -> Reply.tool("bash", Map.of("command", command, "description", "works"));
        case CLAUDE -> Reply.tool("Bash", Map.of("command", command, "description", "works"));
        // Else it goes on without the command's end after ten seconds.
        case CODEX -> Reply.tool("exec_command", Map.of("cmd", command, "yield_time_ms", 30_000));
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
    // Its shell reads a profile there: what a user's does may take a minute, or never end.
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
    }
  }

  /** Returns the program that a variable names; a test that needs it fails without. */
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
              + ", now "
              + path
              + ", to the path of its node_modules/.bin/"
              + name);
    }
    return Path.of(path).toAbsolutePath();
  }

  /**
   * Makes a sandbox, or sets up one that is there for another model.
   *
   * @param modelOrigin the model's address without a path
   */
  public static ClientSandbox of(Client client, Path root, URI modelOrigin) throws IOException {
    return new ClientSandbox(client, root, modelOrigin);
  }

  private static Path folder(Path root, String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  /** The folder to work in; there is a space in its path. */
  public Path project() {
    return project;
  }

  /** What the client needs in its environment. */
  public Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** What the client wrote last to its log for developers; empty if it has none. */
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

  /** The agent that runs the real client here; opencode on a port that is free now. */
  ClientBuilder<?> agent() throws IOException {
    ClientBuilder<?> agent =
        switch (client) {
          case OPENCODE ->
              OpencodeAgent.builder().model(OpencodeSandbox.MODEL).port(OpencodeSandbox.freePort());
          case CLAUDE ->
              ClaudeAgent.builder().arguments(List.of("--debug-file", debugLog.toString()));
          case CODEX -> CodexAgent.builder();
        };
    agent.program(client.program().toString());
    environment.forEach(agent::environment);
    return agent;
  }
}
