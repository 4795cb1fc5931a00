package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The JSON-RPC requests to an agent, one at a time, and the responses to requests of the agent.
 *
 * <p>Messages of the agent arrive on one thread, and the thread of the turn checks the time limits.
 * The volatile waiting request connects both threads.
 */
final class AcpRequests {

  private static final int NO_SUCH_METHOD = -32601;

  /**
   * A request without a response yet.
   *
   * @param since the time of the request in the unit of {@link System#nanoTime}
   * @param limit the time limit, or null for none
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
   * Creates an object without requests.
   *
   * @param input receives the messages to the agent
   */
  AcpRequests(AcpInput input) {
    this.input = input;
  }

  /**
   * Sends a request.
   *
   * @param limit the time limit for the response, or null for none
   * @param then receives the result, unless the agent responds with an error
   */
  void ask(String method, ObjectNode params, @Nullable Duration limit, Consumer<JsonNode> then) {
    int id = ++lastId;
    waiting = new Request(Integer.toString(id), method, System.nanoTime(), limit, then);
    input.add(request(id, method, params));
  }

  /** Returns the message of a request. */
  static ObjectNode request(int id, String method, ObjectNode params) {
    return message().put("id", id).put("method", method).set("params", params);
  }

  /** Sends a notification, which has no response. */
  void sendNotification(String method, ObjectNode params) {
    input.add(message().put("method", method).set("params", params));
  }

  /** Responds to a request of the agent. */
  void answer(JsonNode id, ObjectNode result) {
    ObjectNode answer = message().set("id", id);
    input.add(answer.set("result", result));
  }

  /** Responds to a request for an unsupported method with an error. */
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

  /** Removes and returns the pending request of a response. Returns null for any other message. */
  @Nullable Request answeredBy(JsonNode message) {
    Request request = waiting;
    JsonNode id = message.path("id");
    // An agent does not know the id of a request after a parse failure.
    boolean unread = id.isNull() && message.path("error").isObject();
    if (request == null || !(isId(id, request.id()) || unread)) {
      return null;
    }
    waiting = null;
    return request;
  }

  /** Returns whether the agent sent an id, as a number such as 1 or 1.0, or as a string. */
  private static boolean isId(JsonNode sent, String id) {
    return sent.isNumber()
        ? sent.decimalValue().compareTo(new BigDecimal(id)) == 0
        : sent.asText().equals(id);
  }

  /** Returns the pending request, or null. */
  @Nullable Request waiting() {
    return waiting;
  }

  /** Returns the waiting request if its time limit has passed, or null. */
  @Nullable Request overdue() {
    Request request = waiting;
    return request != null && request.isOverdue() ? request : null;
  }

  /** Returns whether the agent has stopped reading the input. */
  boolean areUnread() {
    return input.isFull();
  }
}
