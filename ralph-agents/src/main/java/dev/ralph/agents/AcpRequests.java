package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an agent is asked, one request after the other, and what it is answered, in the form of
 * JSON-RPC.
 *
 * <p>The agent's messages come in one thread, and it is asked in that of the turn whether it takes
 * too long; the request that waits for its answer is handed from one to the other.
 */
final class AcpRequests {

  private static final int NO_SUCH_METHOD = -32601;

  /**
   * A request that waits for its answer.
   *
   * @param since on the clock of {@link System#nanoTime}
   * @param limit null for none
   */
  record Request(
      String id, String method, long since, @Nullable Duration limit, Consumer<JsonNode> then) {

    private boolean isOverdue() {
      return limit != null && System.nanoTime() - since > limit.toNanos();
    }
  }

  private final AcpInput input;
  private int lastId;
  private volatile @Nullable Request waiting;

  /**
   * @param input takes what is said to the agent
   */
  AcpRequests(AcpInput input) {
    this.input = input;
  }

  /**
   * Asks the agent.
   *
   * @param limit how long it may take to answer, or null for as long as it likes
   * @param then is given the result, unless the agent answers with an error
   */
  void ask(String method, ObjectNode params, @Nullable Duration limit, Consumer<JsonNode> then) {
    int id = ++lastId;
    waiting = new Request(Integer.toString(id), method, System.nanoTime(), limit, then);
    input.add(request(id, method, params));
  }

  /** Returns a request as it is sent. */
  static ObjectNode request(int id, String method, ObjectNode params) {
    return message().put("id", id).put("method", method).set("params", params);
  }

  /** Tells the agent what it does not answer. */
  void tell(String method, ObjectNode params) {
    input.add(message().put("method", method).set("params", params));
  }

  /** Answers a request of the agent. */
  void answer(JsonNode id, ObjectNode result) {
    ObjectNode answer = message().set("id", id);
    input.add(answer.set("result", result));
  }

  /** Answers a request of the agent for what it is not offered. */
  void refuse(JsonNode id, String method) {
    ObjectNode answer = message().set("id", id);
    answer.putObject("error").put("code", NO_SUCH_METHOD).put("message", "not offered: " + method);
    input.add(answer);
  }

  private static ObjectNode message() {
    return object().put("jsonrpc", "2.0");
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** Returns the request that a message answers, which waits no more; null if it answers none. */
  @Nullable Request answeredBy(JsonNode message) {
    Request request = waiting;
    JsonNode id = message.path("id");
    // An agent that could not read a request does not know its id.
    boolean unread = id.isNull() && message.path("error").isObject();
    if (request == null || !(isId(id, request.id()) || unread)) {
      return null;
    }
    waiting = null;
    return request;
  }

  /** Returns whether an agent has sent this id: as a number, such as 1 or 1.0, or as a text. */
  private static boolean isId(JsonNode sent, String id) {
    return sent.isNumber()
        ? sent.decimalValue().compareTo(new BigDecimal(id)) == 0
        : sent.asText().equals(id);
  }

  /** Returns the request that waits for its answer, or null. */
  @Nullable Request waiting() {
    return waiting;
  }

  /** Returns the request that has waited for too long, or null. */
  @Nullable Request overdue() {
    Request request = waiting;
    return request != null && request.isOverdue() ? request : null;
  }

  /** Whether the agent reads nothing of what it is told. */
  boolean areUnread() {
    return input.isFull();
  }
}
