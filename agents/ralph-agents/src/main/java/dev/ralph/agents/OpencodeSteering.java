package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ralph.Turn;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.delivery.OperatorMessages;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends the operator's messages to a busy session of opencode's server, which adds them to the next
 * request to its model. The messages are leased as with any tool call. They are marked as read
 * after the model has answered them: an answer names the newest message of its request. Not
 * thread-safe.
 */
final class OpencodeSteering {

  private static final System.Logger LOG =
      System.getLogger(OpencodeSteering.class.getPackageName());

  /** The length of the lease, during which no second reader receives a possibly lost message. */
  private static final Duration LEASE = Duration.ofMinutes(10);

  private final AgentInbox inbox;
  private final int iteration;
  private final OpencodeApi api;
  private final Path directory;
  private final String session;
  private final String reader = "opencode-" + UUID.randomUUID();
  private int calls;

  /** The text of the sent messages until the model has seen them, or null. */
  private @Nullable String shown;

  /** The ids of the sent messages. */
  private List<String> ids = List.of();

  /** Whether the sent messages have arrived. */
  private boolean arrived;

  OpencodeSteering(Turn turn, OpencodeApi api, Path directory, String session) {
    this.inbox = AgentInbox.of(turn.session());
    this.iteration = turn.iteration();
    this.api = api;
    this.directory = directory;
    this.session = session;
  }

  /** Sends new messages after the model has seen the previous ones. */
  void sendNewMessages(Duration limit) throws IOException {
    try {
      if (shown != null && !acknowledge(OpencodeSteering::hasBegun, limit)) {
        if (!arrived) {
          prompt(limit);
        }
        return;
      }
      List<AgentInbox.Delivery> deliveries =
          inbox.deliver(
              new AgentInbox.Call(reader, String.valueOf(++calls), Set.of(), iteration), LEASE);
      if (!deliveries.isEmpty()) {
        shown = OperatorMessages.whileAtWork(deliveries, OperatorMessages::item);
        ids = deliveries.stream().map(delivery -> delivery.message().id()).toList();
        arrived = false;
        prompt(limit);
      }
    } catch (RalphException e) {
      LOG.log(Level.WARNING, "cannot deliver messages to opencode; the messages stay unread", e);
    }
  }

  /**
   * Acknowledges the last messages if the model has seen them, or else releases them to other
   * readers. Only a complete answer counts, because messages that arrive with the last answer cause
   * a request whose answer is not awaited.
   */
  void end(Duration limit) {
    if (shown == null) {
      return;
    }
    try {
      if (!acknowledge(OpencodeSteering::isComplete, limit)) {
        inbox.release(reader);
      }
    } catch (IOException | RalphException e) {
      LOG.log(
          Level.DEBUG, "no confirmation of a message from opencode; the message is sent again", e);
    }
  }

  private void prompt(Duration limit) throws IOException {
    api.prompt(directory, session, String.valueOf(shown), limit);
    arrived = true;
  }

  /** Returns whether the message contains text or a tool call of the model. */
  private static boolean hasBegun(JsonNode message) {
    for (JsonNode part : message.path("parts")) {
      if (!part.path("type").asText().equals("step-start")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isComplete(JsonNode message) {
    return message.at("/info/time/completed").isNumber() && !message.at("/info").has("error");
  }

  /** Acknowledges the sent messages if the model has answered them with a matching message. */
  private boolean acknowledge(Predicate<JsonNode> answer, Duration limit) throws IOException {
    boolean passed = false;
    boolean seen = false;
    Set<String> holding = new HashSet<>();
    for (JsonNode message : api.messages(directory, session, limit)) {
      if (message.at("/info/role").asText().equals("assistant")) {
        // The request of a later answer may have been sent before the messages.
        seen |= holding.contains(message.at("/info/parentID").asText()) && answer.test(message);
      } else {
        for (JsonNode part : message.path("parts")) {
          passed |= part.path("text").asText().equals(shown);
        }
        if (passed) {
          holding.add(message.at("/info/id").asText());
        }
      }
    }
    arrived |= passed;
    if (!seen) {
      return false;
    }
    inbox.acknowledge(
        new AgentInbox.Call(reader, String.valueOf(++calls), Set.of(), iteration), ids);
    shown = null;
    return true;
  }
}
