package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.ralph.agents.ClientSandbox;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.OpencodeSandbox;
import dev.ralph.agents.ScriptedModelServer;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.agents.ScriptedModelServer.Request;
import dev.ralph.cli.Checkout.Exit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the instructions of docs/mcp.md for each client literally, with the real client. */
@Tag("clients")
@Timeout(300)
class McpClientsIT {

  private static final String INSPECTOR = "npx @modelcontextprotocol/inspector@2.12.0";

  @TempDir Path folder;
  private Checkout checkout;
  private Path launcher;
  private Path home;

  @BeforeEach
  void makeACheckout() throws Exception {
    home = Files.createDirectories(folder.resolve("home"));
    checkout = Checkout.shared(folder).with("HOME", home.toString());
    checkout
        .with("OPENCODE_PURE", "1")
        .with("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .with("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .with("MCP_INSPECTOR_SECRET_STORE", "memory");
    launcher = Files.createSymbolicLink(folder.resolve("ralph"), checkout.launcher());
    assertThat(checkout.ralph("task", "add", "-n", "auth", "--create", "one").code()).isZero();
  }

  @AfterEach
  void clear() {
    checkout.clear();
  }

  /** Returns the program at the path in a variable. Fails the test if the program is missing. */
  private static Path program(String variable, String npmPackage) {
    String path =
        Optional.ofNullable(System.getProperty(variable))
            .filter(property -> !property.isBlank())
            .orElse(System.getenv(variable));
    if (path == null || path.isBlank() || !Files.isExecutable(Path.of(path))) {
      fail(
          "This test needs a program: npm install "
              + npmPackage
              + ", then set "
              + variable
              + " (now "
              + path
              + ") to its path below node_modules/.bin");
    }
    return Path.of(path).toAbsolutePath();
  }

  /** Returns a code block of a language in a section, adapted to the checkout and its store. */
  private String block(String section, String language, int index) throws IOException {
    String page =
        Files.readString(Path.of("").toAbsolutePath().resolveSibling("docs").resolve("mcp.md"));
    Matcher part = Pattern.compile("(?ms)^## " + section + "$(.*?)(?=^## |\\z)").matcher(page);
    assertThat(part.find()).as(section).isTrue();
    Matcher block = Pattern.compile("(?ms)^```" + language + "\n(.*?)^```$").matcher(part.group(1));
    for (int i = 0; i <= index; i++) {
      assertThat(block.find()).as(section + " " + language + " " + i).isTrue();
    }
    Path store = checkout.work().resolve(".ralph/store");
    return block
        .group(1)
        .replace("/path/to/ralph", launcher.toString())
        .replace("-store /path/to/store", "-store '" + store + "'")
        .replace("/path/to/store", store.toString());
  }

  /** Runs shell lines with a program in place of its name, which may not be on the PATH. */
  private Exit run(String lines, String name, Path program) throws Exception {
    return checkout.shell("set -e\n" + lines.replaceAll("(?m)^" + name + " ", program + " "));
  }

  @Test
  void inspector_listsAndCallsTools() throws Exception {
    Path inspector = program("RALPH_INSPECTOR", "@modelcontextprotocol/inspector@2.12.0");
    // The inspector passes only named variables; without these, archives would be created
    // elsewhere.
    Exit exit =
        run(
            block("MCP Inspector", "sh", 0)
                .replace(" --cli ", " --cli " + checkout.asOptions("JAVA_HOME", "XDG_CACHE_HOME")),
            INSPECTOR,
            inspector);
    assertThat(exit.code()).as(exit.toString()).isZero();
    assertThat(exit.out())
        .contains("\"name\": \"session_complete\"")
        .containsPattern("\"text\": \"Task t2 \\[\\w+] added\"");
    assertThat(exit.err()).doesNotContain("schema");
    assertThat(checkout.ralph("tasks", "-n", "auth").out()).contains("Write the login form");
  }

  @Test
  void opencode_connects() throws Exception {
    Path opencode = program("RALPH_OPENCODE", "opencode-ai@1.18.33");
    checkout.file("opencode.json", block("opencode", "json", 0));
    Exit exit = run(block("opencode", "sh", 0), "opencode", opencode);
    assertThat(exit.out() + exit.err()).containsPattern("ralph.*connected");
  }

  @Test
  void claudeCode_connects() throws Exception {
    Path claude = program("RALPH_CLAUDE", "@anthropic-ai/claude-code@2.1.330");
    Exit exit = run(block("Claude Code", "sh", 0), "claude", claude);
    assertThat(exit.out()).as(exit.toString()).containsPattern("ralph: .*Connected");
  }

  @Test
  void claudeCode_readsProjectConfiguration() throws Exception {
    Path claude = program("RALPH_CLAUDE", "@anthropic-ai/claude-code@2.1.330");
    checkout.file(".mcp.json", block("Claude Code", "json", 0));
    Exit exit = run("claude mcp list\n", "claude", claude);
    assertThat(exit.out()).as(exit.toString()).containsPattern("ralph: .* mcp -n auth --store");
  }

  @Test
  void codex_readsUserConfiguration() throws Exception {
    Path codex = program("RALPH_CODEX", "@openai/codex@0.169.0");
    Files.createDirectories(home.resolve(".codex"));
    Files.writeString(home.resolve(".codex/config.toml"), block("Codex", "toml", 0));
    Exit exit = run(block("Codex", "sh", 0), "codex", codex);
    assertThat(exit.out()).as(exit.toString()).containsPattern("ralph +" + launcher + ".*enabled");
  }

  // ---- over HTTP

  /** A running server, with the address and token of an agent. */
  private record Served(Process process, String url, String token) implements AutoCloseable {

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }

    String in(String text) {
      return text.replace("http://127.0.0.1:7717/mcp", url).replace("ralph_…", token);
    }
  }

  private Served serve() throws Exception {
    Process process = checkout.talkTo("serve", "--json");
    String said = process.inputReader(StandardCharsets.UTF_8).readLine();
    Matcher url = Pattern.compile("\"mcp\":\"([^\"]+)\"").matcher(said);
    assertThat(url.find()).as(said).isTrue();
    String token = checkout.ralph("token", "add", "box1", "-n", "auth").out().strip();
    return new Served(process, url.group(1), token);
  }

  @Test
  void inspector_callsToolsOverHttp() throws Exception {
    Path inspector = program("RALPH_INSPECTOR", "@modelcontextprotocol/inspector@2.12.0");
    try (Served served = serve()) {
      Exit exit =
          checkout.shell(
              inspector
                  + " --cli "
                  + served.url()
                  + " --transport http --header 'Authorization: Bearer "
                  + served.token()
                  + "' --method tools/call --tool-name task_next");
      assertThat(exit.out()).as(exit.toString()).contains("Task t1 is yours");
    }
  }

  /** Some clients use a revision with sessions, others the revision without sessions. */
  @ParameterizedTest
  @EnumSource(names = {"OPENCODE", "CLAUDE", "CODEX"})
  void client_completesTaskOverHttp(Client client) throws Exception {
    assertThat(checkout.ralph("message", "-n", "auth", "Mind the old form").code()).isZero();
    try (Served served = serve();
        ScriptedModelServer model = ScriptedModelServer.start(request -> next(client, request))) {
      ClientSandbox sandbox =
          ClientSandbox.of(client, folder.resolve("sandbox"), model.origin())
              .with("RALPH_TOKEN", served.token());
      String lines = configure(client, served, sandbox);

      Exit exit =
          checkout.run(
              sandbox.environment(),
              "sh",
              "-c",
              "set -e\n" + lines.replaceAll("(?m)^" + client.command(), "" + client.program()));

      String seen = exit + "\n" + model.log();
      assertThat(exit.code()).as(seen).isZero();
      List<String> results = model.turns().get(model.turns().size() - 1).toolResults();
      assertThat(results).as(seen).hasSize(3);
      assertThat(results.get(0)).contains("one", "MESSAGE FROM THE OPERATOR", "Mind the old form");
      assertThat(results.get(1)).contains("Task t1 is yours");
      assertThat(results.get(2)).contains("Task t1 marked as completed");
    }
    assertThat(checkout.json("tasks", "-n", "auth").at("/tasks/0/status").asText())
        .isEqualTo("completed");
    assertThat(checkout.ralph("log", "-n", "auth", "--json").out())
        .as("owner of the claim")
        .containsPattern("\"action\":\"claim\",[^\n]*\"owner\":\"box1(-[0-9a-f]{8})?\"");
  }

  /** Configures a client as the page describes, and returns the shell lines that run it. */
  private String configure(Client client, Served served, ClientSandbox sandbox) throws IOException {
    return switch (client) {
      case CLAUDE ->
          served.in(block("Over HTTP", "sh", 1))
              + "claude -p 'Do your task' --allowedTools mcp__ralph\n";
      case OPENCODE -> {
        checkout.file("opencode.json", served.in(block("Over HTTP", "json", 0)));
        yield "opencode run -m " + OpencodeSandbox.MODEL + " 'Do your task'\n";
      }
      case CODEX -> {
        Files.writeString(
            Path.of(sandbox.environment().get("CODEX_HOME"), "config.toml"),
            served.in(block("Over HTTP", "toml", 0)),
            StandardOpenOption.APPEND);
        yield "codex exec --skip-git-repo-check 'Do your task'\n";
      }
      default -> throw new IllegalArgumentException("not on the page: " + client);
    };
  }

  private static Reply next(Client client, Request request) {
    return switch (request.toolResults().size()) {
      case 0 -> Reply.tool(client.sessionTool("task_list"), Map.of());
      case 1 -> Reply.tool(client.sessionTool("task_next"), Map.of());
      case 2 ->
          Reply.tool(client.sessionTool("task_status"), Map.of("id", "t1", "status", "completed"));
      default -> Reply.text("Done.");
    };
  }
}
