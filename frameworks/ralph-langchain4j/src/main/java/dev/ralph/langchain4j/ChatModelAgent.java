package dev.ralph.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.tool.AgentTools;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loop's agent that runs a chat model with the session's tools. Each iteration sends the prompt
 * and executes the tool calls of the model until the model calls no more tools. The iteration fails
 * after 200 requests.
 *
 * <pre>{@code
 * session.loop(new ChatModelAgent(model)).maxIterations(20).run();
 * }</pre>
 */
public final class ChatModelAgent implements Agent {

  private static final int MOST_REQUESTS = 200;

  private final ChatModel model;

  /** Creates an agent that runs a model. The embedder configures the model. */
  public ChatModelAgent(ChatModel model) {
    this.model = Objects.requireNonNull(model, "model");
  }

  @Override
  public AgentResult run(Turn turn) {
    Usage used = Usage.NONE;
    try (AgentTools tools = turn.openTools()) {
      List<ChatMessage> messages = new ArrayList<>();
      messages.add(UserMessage.from(turn.prompt()));
      for (int requests = 0; requests < MOST_REQUESTS; requests++) {
        if (turn.cancelled()) {
          return AgentResult.failure("cancelled").cause(AgentResult.Cause.CANCELLED).usage(used);
        }
        ChatResponse response =
            model.chat(
                ChatRequest.builder()
                    .messages(messages)
                    .toolSpecifications(SessionTools.specifications(tools))
                    .build());
        Usage usage = usage(response.tokenUsage());
        used = used.plus(usage);
        turn.usage(used);
        turn.record(RecordEntry.used(null, usage));
        AiMessage said = response.aiMessage();
        String text = said.text();
        if (text != null && !text.isBlank()) {
          turn.output(text);
          turn.record(RecordEntry.text(text));
        }
        if (!said.hasToolExecutionRequests()) {
          return AgentResult.success().summary(text).usage(used);
        }
        messages.add(said);
        for (ToolExecutionRequest request : said.toolExecutionRequests()) {
          messages.add(SessionTools.call(tools, request));
        }
      }
      return AgentResult.failure(
              "the model still called tools after " + MOST_REQUESTS + " requests; split the task")
          .usage(used);
    } catch (RateLimitException e) {
      return AgentResult.rateLimited(message(e), null).usage(used);
    } catch (AuthenticationException e) {
      return failure(e, AgentResult.Cause.NOT_LOGGED_IN).usage(used);
    } catch (ModelNotFoundException e) {
      return failure(e, AgentResult.Cause.MODEL_UNKNOWN).usage(used);
    } catch (RuntimeException e) {
      return failure(e, AgentResult.Cause.MODEL_ERROR).usage(used);
    }
  }

  private static AgentResult failure(Exception e, AgentResult.Cause cause) {
    return AgentResult.failure(message(e)).cause(cause);
  }

  private static String message(Exception e) {
    String message = e.getMessage();
    return message == null ? e.toString() : message;
  }

  private static Usage usage(@Nullable TokenUsage tokens) {
    return tokens == null
        ? Usage.UNKNOWN
        : Usage.of(count(tokens.inputTokenCount()), count(tokens.outputTokenCount()), null);
  }

  private static long count(@Nullable Integer tokens) {
    return tokens == null ? 0 : tokens;
  }
}
