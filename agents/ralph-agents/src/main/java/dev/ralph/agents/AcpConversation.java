package dev.ralph.agents;

import static dev.ralph.agents.AcpRequests.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.AgentResult;
import dev.ralph.AgentResult.Cause;
import dev.ralph.Ralph;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.agents.AcpRequests.Request;
import dev.ralph.agents.internal.ClientName;
import dev.ralph.core.internal.process.ProcessExit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages to an agent in one turn, from {@code initialize} to the response to the prompt.
 * Messages of the agent arrive on one thread; {@link #poll} runs on the thread of the turn.
 */
final class AcpConversation implements Consumer<JsonNode> {

  /** The supported version of the protocol. */
  private static final int VERSION = 1;

  static final String INITIALIZE = "initialize";
  private static final String NEW_SESSION = "session/new";
  private static final String PROMPT = "session/prompt";

  /** The time limit of each response except the response to the prompt. */
  static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

  /**
   * The longest wait for the agent to list the session's tools. The prompt is sent after this time
   * in any case, because some agents list the tools only after a prompt.
   */
  static final Duration TOOLS_LIMIT = Duration.ofSeconds(10);

  /** The time in which a cancelled agent must end the turn. */
  private static final Duration CANCEL_LIMIT = Duration.ofSeconds(2);

  private final AcpSettings settings;
  private final ClientName client;
  private final Turn turn;
  private final RunRecord record;
  private final @Nullable AcpToolServer server;
  private final AcpRequests requests;
  private final AcpUsage usage;
  private final AcpUpdates updates;
  private final AcpPermissions permissions;
  private final CountDownLatch ended = new CountDownLatch(1);
  private String session = "";
  private String logIn = "";
  private volatile boolean prompted;

  /** The time when the agent became ready except for its tools, or null if it is not ready. */
  private volatile @Nullable Long ready;

  private boolean toolsSeen;

  /**
   * Creates a conversation.
   *
   * @param server the server of the session's tools, or null for none
   * @param input receives the messages to the agent
   */
  AcpConversation(
      AcpSettings settings,
      Turn turn,
      RunRecord record,
      @Nullable AcpToolServer server,
      AcpInput input) {
    this.settings = settings;
    client = settings.clientName();
    this.turn = turn;
    this.record = record;
    this.server = server;
    requests = new AcpRequests(input);
    usage = new AcpUsage(record, settings.client().prices());
    updates = new AcpUpdates(settings.named(), record, usage);
    permissions = new AcpPermissions(settings.permission(), client.name(), turn, requests::answer);
  }

  // ---- sequence of requests

  /** Sends the first request. */
  void begin() {
    requests.ask(INITIALIZE, introduction(), settings.answerLimit(), this::initialized);
  }

  /** Returns the parameters of {@code initialize}: the name of the client, without capabilities. */
  static ObjectNode introduction() {
    ObjectNode params = object().put("protocolVersion", VERSION);
    ObjectNode capabilities = params.putObject("clientCapabilities");
    capabilities.putObject("fs").put("readTextFile", false).put("writeTextFile", false);
    capabilities.put("terminal", false);
    params.putObject("clientInfo").put("name", "ralph").put("version", Ralph.version());
    return params;
  }

  private void initialized(JsonNode answer) {
    String other = otherVersion(client, answer);
    logIn = settings.named() == null ? logIn(answer.path("authMethods")) : client.logInHow();
    String itsVersion = answer.at("/agentInfo/version").textValue();
    record.put(RecordEntry.client(client.name(), itsVersion, null, List.of(), null));
    if (other != null) {
      end(AgentResult.fatal(other));
    } else if (settings.authentication() != null) {
      requests.ask(
          "authenticate",
          object().put("methodId", settings.authentication()),
          settings.answerLimit(),
          ok -> newSession());
    } else {
      newSession();
    }
  }

  /** Returns an error message if the agent speaks another version of the protocol, or null. */
  static @Nullable String otherVersion(ClientName client, JsonNode answer) {
    JsonNode version = answer.path("protocolVersion");
    return version.asInt(0) == VERSION
        ? null
        : client.name()
            + " uses version "
            + version
            + " of the Agent Client Protocol, and Ralph version "
            + VERSION
            + "; install a release with that version";
  }

  /** Returns login instructions with the login methods that the agent offers. */
  static String logIn(JsonNode methods) {
    List<String> names = new ArrayList<>();
    for (JsonNode method : methods) {
      names.add(method.path("id").asText() + " (" + method.path("name").asText() + ")");
    }
    return "the agent's own command"
        + (names.isEmpty() ? "" : ", or choose by --agent-auth: " + String.join(", ", names));
  }

  private void newSession() {
    ObjectNode params = object().put("cwd", ClientSettings.directory(turn).toString());
    ArrayNode servers = params.putArray("mcpServers");
    AcpClient named = settings.named();
    if (server != null && (named == null || !named.hasToolOption())) {
      server.addTo(servers, named == null ? value -> value : named::variable);
    }
    requests.ask(NEW_SESSION, params, settings.answerLimit(), this::sessionMade);
  }

  private void sessionMade(JsonNode answer) {
    session = answer.path("sessionId").asText("");
    if (session.isEmpty()) {
      end(AgentResult.failure(client.name() + " created no session"));
      return;
    }
    choose(
        AcpChoice.MODEL,
        settings.sessionModel(),
        answer,
        offered -> {
          String model = settings.client().model();
          if (model == null) {
            model = AcpChoice.of(AcpChoice.MODEL, offered).current();
          }
          usage.model(model);
          record.put(RecordEntry.client(client.name(), null, model, List.of(), session));
          choose(AcpChoice.MODE, settings.mode(), offered, all -> ready = System.nanoTime());
        });
  }

  /**
   * Selects the requested value of a setting, and passes on the options that the agent offers after
   * the choice.
   */
  private void choose(
      String what, @Nullable String wanted, JsonNode offered, Consumer<JsonNode> then) {
    if (wanted == null) {
      then.accept(offered);
      return;
    }
    AcpChoice choice = AcpChoice.of(what, offered);
    String value = choice.named(wanted);
    if (value == null) {
      AgentResult unknown = AgentResult.fatal(client.name() + choice.hasNone(wanted));
      end(what.equals(AcpChoice.MODEL) ? unknown.cause(Cause.MODEL_UNKNOWN) : unknown);
    } else {
      requests.ask(
          choice.method(),
          choice.chosen(value).put("sessionId", session),
          settings.answerLimit(),
          answer -> then.accept(answer.has("configOptions") ? answer : offered));
    }
  }

  private void prompt() {
    ready = null;
    prompted = true;
    record.asking(true);
    ObjectNode params = object().put("sessionId", session);
    params.putArray("prompt").addObject().put("type", "text").put("text", turn.prompt());
    requests.ask(PROMPT, params, null, this::turnEnded);
  }

  private void turnEnded(JsonNode answer) {
    // Gemini CLI reports its tokens only there.
    endTurn(answer.has("usage") ? answer.path("usage") : answer.at("/_meta/quota/token_count"));
    String modelError = updates.modelError();
    if (modelError != null) {
      boolean hadAnswers = !record.toolCalls().isEmpty();
      end(AcpError.inWords(modelError).result(client, PROMPT, logIn, hadAnswers));
      return;
    }
    if (server != null && !server.isListed()) {
      end(
          ToolsMissing.of(
              client, server.tools(), "tools not requested before the end of the turn"));
      return;
    }
    String reason = answer.path("stopReason").asText("");
    if (!reason.equals("end_turn")) {
      end(AgentResult.failure(client.name() + " ended its turn early: " + words(reason)));
    } else if (answer.path("usage").isNull() && record.toolCalls().isEmpty()) {
      // Some agents report a failure of their model in this way, with the reason as their message.
      end(AcpError.inWords(record.finalText()).result(client, PROMPT, logIn, false));
    } else if (record.answered()) {
      String text = record.finalText();
      end(AgentResult.success().summary(text.isEmpty() ? null : text));
    } else {
      end(AgentResult.failure(client.name() + " ended its turn without an answer from its model"));
    }
  }

  private void endTurn(JsonNode used) {
    record.asking(false);
    updates.endMessage();
    usage.end(used);
  }

  private static String words(String reason) {
    return switch (reason) {
      case "refusal" -> "the model refused to continue";
      case "max_tokens" -> "the model's output limit was reached";
      case "max_turn_requests" -> "the limit of model requests was reached";
      case "cancelled" -> "cancelled from outside of the loop";
      default -> "reason " + (reason.isEmpty() ? "missing" : reason);
    };
  }

  private void end(AgentResult result) {
    record.giveUp(result);
    ended.countDown();
  }

  /** Returns whether the agent was prompted. An agent uses no model before its prompt. */
  boolean isPrompted() {
    return prompted;
  }

  // ---- messages of the agent

  @Override
  public void accept(JsonNode message) {
    JsonNode params = message.path("params");
    String method = message.path("method").asText("");
    if (method.isEmpty()) {
      acceptAnswer(message);
    } else if (message.has("id")) {
      acceptRequest(message.path("id"), method, params);
    } else if (method.equals("session/update")
        && params.path("sessionId").asText().equals(session)) {
      updates.accept(params.path("update"));
    }
  }

  private void acceptAnswer(JsonNode message) {
    Request request = requests.answeredBy(message);
    if (request == null) {
      return;
    }
    JsonNode error = message.path("error");
    if (error.isObject()) {
      endTurn(MissingNode.getInstance());
      end(AcpError.of(error).result(client, request.method(), logIn, record.answered()));
    } else {
      request.then().accept(message.path("result"));
    }
  }

  private void acceptRequest(JsonNode id, String method, JsonNode params) {
    if (method.equals("session/request_permission")) {
      JsonNode call = params.path("toolCall");
      String what = updates.describe(call);
      permissions.asked(id, params.path("options"), call.path("toolCallId").textValue(), what);
    } else {
      requests.refuse(id, method);
    }
  }

  // ---- thread of the turn

  /**
   * Prompts the agent when its tools are ready, and returns a failure if the agent does not
   * respond. Called several times per second.
   */
  Optional<AgentResult> poll() throws InterruptedException {
    Request overdue = requests.overdue();
    if (overdue != null) {
      return Optional.of(
          AgentResult.failure(client.name() + " was stopped: " + reason(overdue))
              .cause(Cause.HUNG));
    }
    if (requests.areUnread()) {
      record.cutOff();
      return Optional.of(
          AgentResult.failure(client.name() + " was stopped: unread input").cause(Cause.HUNG));
    }
    if (permissions.poll()) {
      record.recordActivity(); // the agent waits for the operator
    }
    Long since = ready;
    if (since != null && isToPrompt(System.nanoTime() - since)) {
      prompt();
    }
    return Optional.empty();
  }

  private String reason(Request overdue) {
    return "no answer to "
        + overdue.method()
        + (overdue.method().equals(NEW_SESSION) ? " (starts the tools)" : "")
        + " within "
        + settings.answerLimit().toSeconds()
        + " s";
  }

  /** Requires the tools at two checks in a row, so that the agent has read their list. */
  private boolean isToPrompt(long waitedNanos) {
    boolean seenBefore = toolsSeen;
    toolsSeen = server == null || server.isListed();
    return seenBefore || waitedNanos > settings.toolsLimit().toNanos();
  }

  /**
   * Answers all open permission requests. Cancels the turn of the agent if the turn was cut short.
   *
   * @throws InterruptedException if interrupted while waiting for the agent to end its turn
   */
  void close(boolean cutShort) throws InterruptedException {
    boolean cancels = cutShort && prompted;
    if (cancels) {
      requests.sendNotification("session/cancel", object().put("sessionId", session));
    }
    permissions.end();
    if (cancels) {
      long most = Math.min(CANCEL_LIMIT.toNanos(), turn.grace().toNanos() / 2);
      ended.await(most, TimeUnit.NANOSECONDS);
    }
  }

  /** Returns the result of a turn in which the agent exited before it responded to the prompt. */
  AgentResult exited(int code, OutputTail stderr) {
    Request request = requests.waiting();
    updates.endMessage();
    if (prompted) {
      record.cutOff();
    }
    return AgentResult.failure(
        client.name()
            + " ended with "
            + ProcessExit.words(code)
            + (request == null ? "" : " before it answered " + request.method())
            + stderr.afterColon());
  }
}
