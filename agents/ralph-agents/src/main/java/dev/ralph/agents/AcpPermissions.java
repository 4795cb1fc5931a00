package dev.ralph.agents;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.agents.AcpAgent.Permission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import javax.annotation.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Answers the permission requests of an agent, by a rule or with the answer of the operator. Each
 * request is answered, at the latest by {@link #end}. Safe for use by several threads.
 */
final class AcpPermissions {

  /** The most open requests. An agent with more requests does not wait for them. */
  private static final int MOST_OPEN = 100;

  private static final Set<String> YES = Set.of("yes", "y", "ok", "allow");
  private static final String ENDED = "No longer needed: the asking iteration has ended.";

  /** A request as received. */
  private record Request(JsonNode id, JsonNode options, @Nullable String call, String what) {}

  /** A request that the operator must answer. */
  private static final class Asked {
    final Request request;
    @Nullable Question question;

    Asked(Request request) {
      this.request = request;
    }
  }

  private final Permission rule;
  private final String agent;
  private final Turn turn;
  private final BiConsumer<JsonNode, ObjectNode> answers;

  @GuardedBy("this")
  private final List<Asked> open = new ArrayList<>();

  @GuardedBy("this")
  private boolean ended;

  /**
   * Creates an object without open requests.
   *
   * @param agent the name of the agent
   * @param answers receives the id and the result of each request
   */
  AcpPermissions(
      Permission rule, String agent, Turn turn, BiConsumer<JsonNode, ObjectNode> answers) {
    this.rule = rule;
    this.agent = agent;
    this.turn = turn;
    this.answers = answers;
  }

  /**
   * Accepts a request of the agent.
   *
   * @param call the id of the tool call that needs permission, or null
   * @param what a description of the call for people
   */
  synchronized void asked(JsonNode id, JsonNode options, @Nullable String call, String what) {
    Request request = new Request(id, options, call, what);
    if (ended) {
      answer(request, null);
    } else if (rule == Permission.ASK && open.size() < MOST_OPEN) {
      open.add(new Asked(request));
    } else {
      answer(request, choice(options, rule == Permission.ALLOW));
    }
  }

  private String question(Request request) {
    List<String> names = new ArrayList<>();
    request.options().forEach(option -> names.add(option.path("name").asText()));
    return agent
        + " asks for permission: "
        + request.what()
        + "\nAnswer yes, no or an option: "
        + String.join(", ", names);
  }

  /**
   * Creates questions for new requests, and sends the operator's answers to the agent.
   *
   * @return whether the agent waits for an answer
   */
  synchronized boolean poll() throws InterruptedException {
    Questions questions = turn.session().questions();
    for (Iterator<Asked> each = open.iterator(); each.hasNext(); ) {
      Asked asked = each.next();
      if (asked.question == null) {
        asked.question = questions.ask(question(asked.request), agent, turn.iteration());
      }
      Optional<Question> answered = questions.await(asked.question.id(), Duration.ZERO);
      if (answered.isPresent()) {
        each.remove();
        String said = String.valueOf(answered.get().answer());
        answer(asked.request, chosen(asked.request.options(), said));
      }
    }
    return !open.isEmpty();
  }

  /**
   * Cancels all open requests and all later requests. Closes the questions of the open requests.
   */
  synchronized void end() {
    ended = true;
    for (Asked asked : open) {
      answer(asked.request, null);
      // An open question would make the loop wait for an answer without use.
      if (asked.question != null && turn.session().questions().get(asked.question.id()).isOpen()) {
        turn.session().questions().answer(asked.question.id(), ENDED, "ralph");
      }
    }
    open.clear();
  }

  /** Returns the option that matches the operator's answer, or null. */
  private static @Nullable JsonNode chosen(JsonNode options, String said) {
    String words = said.strip();
    for (JsonNode option : options) {
      if (words.equalsIgnoreCase(option.path("name").asText())
          || words.equalsIgnoreCase(option.path("optionId").asText())) {
        return option;
      }
    }
    return choice(options, YES.contains(words.toLowerCase(Locale.ROOT)));
  }

  /**
   * Returns the option that allows or rejects a request, or null if none is offered. An option for
   * one time is preferred, because the agent may save a permanent choice in its configuration.
   */
  private static @Nullable JsonNode choice(JsonNode options, boolean allow) {
    for (String kind :
        allow ? List.of("allow_once", "allow_always") : List.of("reject_once", "reject_always")) {
      for (JsonNode option : options) {
        if (option.path("kind").asText().equals(kind)) {
          return option;
        }
      }
    }
    return null;
  }

  private void answer(Request request, @Nullable JsonNode option) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    ObjectNode outcome = result.putObject("outcome");
    String word = "cancelled";
    if (option == null) {
      outcome.put("outcome", word);
    } else {
      outcome.put("outcome", "selected").put("optionId", option.path("optionId").asText());
      word = option.path("kind").asText().startsWith("allow") ? "allowed" : "denied";
    }
    turn.record(RecordEntry.permission(request.call(), request.what(), word));
    answers.accept(request.id(), result);
  }
}
