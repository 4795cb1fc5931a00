package dev.ralph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.agents.ClientSandbox;
import dev.ralph.agents.ClientSandbox.Client;
import dev.ralph.agents.ScriptedModelServer;
import dev.ralph.agents.ScriptedModelServer.Reply;
import dev.ralph.agents.ScriptedModelServer.Request;
import dev.ralph.cli.Checkout.Exit;
import dev.ralph.cli.Checkout.Started;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code ralph tx deliver} into the terminals of real clients. Only the model is scripted. */
@Tag("clients")
@Timeout(900)
class TxClientsIT {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** A text of each client's window that appears together with the empty input line. */
  private static final Map<Client, String> PROMPTS =
      Map.of(Client.OPENCODE, "Ask anything", Client.CLAUDE, "shift+tab to cycle");

  private static final String LAST = "That was the last message.";

  @TempDir static Path folder;
  private static Checkout shared;

  private Checkout checkout;
  private Path socket;
  private Started deliver;

  @BeforeAll
  static void makeACheckout() throws Exception {
    shared = Checkout.shared(folder);
  }

  @AfterEach
  void endProcesses() {
    if (checkout != null) {
      checkout.clear();
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(names = {"OPENCODE", "CLAUDE"})
  void typedMessages_reachModelOnce(Client client) throws Exception {
    try (ScriptedModelServer model = ScriptedModelServer.start(request -> Reply.text("Read."))) {
      openWindow(client, model);
      deliver = checkout.start("tx", "deliver", "--to", "brain", "--json");
      List<String> references = new ArrayList<>();

      references.add(send("fresh"));
      awaitDelivered(references, model);
      for (String id : List.of("first", "second", "third")) {
        references.add(send(id));
      }
      awaitDelivered(references, model);
      tmux("resize-window", "-t", "=brain:", "-x", "50");
      references.add(send("wrapped"));
      awaitDelivered(references, model);

      // A reference left in the input line would precede this text.
      tmux("send-keys", "-t", "=brain:", "-l", LAST);
      tmux("send-keys", "-t", "=brain:", "Enter");
      model.await(turns -> lastText(turns).lines().anyMatch(LAST::equals), LIMIT);
      for (String reference : references) {
        assertThat(lastText(model.turns())).containsOnlyOnce(reference);
      }
    }
  }

  /** Starts a client in a tmux server with a single session, and waits for its input line. */
  private void openWindow(Client client, ScriptedModelServer model) throws Exception {
    checkout = shared.elsewhere("tx-" + client.command());
    Files.createDirectories(checkout.work().resolve(".ai/tx/msgs"));
    socket = folder.resolve(client.command() + ".tmux");
    ClientSandbox sandbox =
        ClientSandbox.of(client, folder.resolve("sandbox-" + client.command()), model.origin());
    sandbox.environment().forEach(checkout::with);
    checkout.with("PATH", client.program().getParent() + ":" + System.getenv("PATH"));
    if (client == Client.CLAUDE) {
      skipQuestions(sandbox);
    }
    String program = "exec '" + client.program() + "'";
    tmux("new-session", "-d", "-s", "brain", "-x", "200", "-y", "40", program);
    checkout.with("TMUX", socket + ",1,0");
    Checkout.await(client + " is ready", LIMIT, () -> pane().contains(PROMPTS.get(client)));
  }

  /** Answers the questions of Claude Code's first start: theme, API key, trust in the folder. */
  private void skipQuestions(ClientSandbox sandbox) throws IOException {
    Map<String, String> environment = sandbox.environment();
    ObjectNode config = new ObjectMapper().createObjectNode();
    config.put("hasCompletedOnboarding", true).put("theme", "dark");
    config
        .putObject("customApiKeyResponses")
        .putArray("approved")
        .add(environment.get("ANTHROPIC_API_KEY"));
    config
        .putObject("projects")
        .putObject(checkout.work().toString())
        .put("hasTrustDialogAccepted", true)
        .put("hasCompletedProjectOnboarding", true);
    Path file = Path.of(environment.get("CLAUDE_CONFIG_DIR")).resolve(".claude.json");
    Files.writeString(file, config.toString());
  }

  /** Sends a message, and returns the reference that a terminal receives. */
  private String send(String id) throws Exception {
    Exit exit =
        checkout.ralph("tx", "send", "brain", "--as", "core", "--id", id, "--headline", "x", "x");
    assertThat(exit.code()).as(exit.toString()).isZero();
    return "@" + exit.out().strip();
  }

  /** Waits until all messages are delivered. The input line must be empty then. */
  private void awaitDelivered(List<String> references, ScriptedModelServer model) throws Exception {
    Checkout.await(
        "delivery of " + references, LIMIT, () -> events("delivered").size() >= references.size());
    assertThat(events("delivered")).hasSameSizeAs(references);
    model.await(
        turns -> references.stream().allMatch(reference -> lastText(turns).contains(reference)),
        LIMIT);
  }

  private static String lastText(List<Request> turns) {
    return turns.isEmpty() ? "" : turns.get(turns.size() - 1).userText();
  }

  /** Returns the events of a kind in the output so far. */
  private List<JsonNode> events(String kind) {
    try {
      List<JsonNode> events = new ArrayList<>();
      String output = Files.readString(deliver.out());
      for (String line : output.substring(0, output.lastIndexOf('\n') + 1).lines().toList()) {
        JsonNode event = new ObjectMapper().readTree(line);
        if (event.path("event").asText().equals(kind)) {
          events.add(event);
        }
      }
      return events;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String pane() {
    try {
      return tmux("capture-pane", "-p", "-J", "-t", "=brain:");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String tmux(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("tmux", "-u", "-f", "/dev/null"));
    command.addAll(List.of("-S", socket.toString()));
    command.addAll(List.of(words));
    Exit exit = checkout.run(Map.of(), command.toArray(new String[0]));
    assertThat(exit.code()).as(exit.toString()).isZero();
    return exit.out();
  }
}
