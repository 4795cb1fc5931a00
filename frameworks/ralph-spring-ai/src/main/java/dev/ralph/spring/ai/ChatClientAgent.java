package dev.ralph.spring.ai;

import dev.ralph.Agent;
import dev.ralph.AgentResult;
import dev.ralph.RecordEntry;
import dev.ralph.Turn;
import dev.ralph.Usage;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.messages.AssistantMessage.ToolCall;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage.ToolResponse;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.core.Ordered;

/**
 * A loop's agent that runs a chat client with the session's tools, in addition to the client's
 * tools. Each iteration sends the prompt, and the client executes tool calls until its model calls
 * no more tools. An exception of the client fails the iteration.
 *
 * <p>Since Spring AI 2, the result of an unknown tool is an error, so the model can correct itself.
 * The iteration fails after {@value #MOST_UNKNOWN} consecutive errors. In earlier versions, the
 * model calls the tools.
 *
 * <pre>{@code
 * session.loop(new ChatClientAgent(client)).maxIterations(20).run();
 * }</pre>
 */
public final class ChatClientAgent implements Agent {

  private static final int MOST_UNKNOWN = 10;

  /** Spring AI 1 also offers tools by name, which the type does not have since 2. */
  private static final boolean OFFERS_CALLBACKS_ONLY =
      Arrays.stream(ToolCallingChatOptions.class.getMethods())
          .noneMatch(method -> method.getName().equals("getToolNames"));

  private final ChatClient client;

  /** Creates an agent of a configured client. */
  public ChatClientAgent(ChatClient client) {
    this.client = Objects.requireNonNull(client, "client");
  }

  @Override
  @SuppressWarnings("removal") // older versions lack the replacement of toolCallbacks
  public AgentResult run(Turn turn) {
    Watch watch = new Watch(turn);
    try (AgentTools tools = turn.openTools()) {
      ChatResponse last =
          client
              .prompt()
              .messages(new UserMessage(turn.prompt()))
              .toolCallbacks(SessionToolCallbacks.of(tools))
              .advisors(watch)
              .call()
              .chatResponse();
      return AgentResult.success().summary(text(last)).usage(watch.used);
    } catch (Cancelled e) {
      return AgentResult.failure("cancelled").cause(AgentResult.Cause.CANCELLED).usage(watch.used);
    } catch (RuntimeException e) {
      String message = e.getMessage();
      return AgentResult.failure(message == null ? e.toString() : message)
          .cause(AgentResult.Cause.MODEL_ERROR)
          .usage(watch.used);
    }
  }

  private static @Nullable String text(@Nullable ChatResponse response) {
    Generation said = response == null ? null : response.getResult();
    return said == null ? null : said.getOutput().getText();
  }

  /** Thrown to end the conversation of a cancelled iteration. */
  private static final class Cancelled extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Records each response of the model, including responses with tool calls. */
  private static final class Watch implements CallAdvisor {
    private final Turn turn;
    private Usage used = Usage.NONE;

    Watch(Turn turn) {
      this.turn = turn;
    }

    @Override
    public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
      ChatClientResponse response = observed(request, chain);
      ChatClientRequest next = request;
      for (int i = 0; i < MOST_UNKNOWN; i++) {
        List<Message> correction = correction(next.prompt(), response.chatResponse());
        if (correction.isEmpty()) {
          break;
        }
        List<Message> messages = new ArrayList<>(next.prompt().getInstructions());
        messages.addAll(correction);
        Prompt prompt = new Prompt(messages, next.prompt().getOptions());
        next = new ChatClientRequest(prompt, next.context());
        response = observed(next, chain.copy(this));
      }
      return response;
    }

    private ChatClientResponse observed(ChatClientRequest request, CallAdvisorChain chain) {
      if (turn.cancelled()) {
        throw new Cancelled();
      }
      ChatClientResponse answer = chain.nextCall(request);
      ChatResponse response = answer.chatResponse();
      Usage usage = usage(response);
      used = used.plus(usage);
      turn.usage(used);
      turn.record(RecordEntry.used(null, usage));
      String said = text(response);
      if (said != null && !said.isBlank()) {
        turn.output(said);
        turn.record(RecordEntry.text(said));
      }
      return answer;
    }

    @Override
    public String getName() {
      return "ralph";
    }

    /** Returns the position next to the model, inside the advisors that call tools. */
    @Override
    public int getOrder() {
      return Ordered.LOWEST_PRECEDENCE - 1;
    }
  }

  /**
   * Returns the response's message and an error for each of its tool calls if a call names a tool
   * that the request does not offer. The client throws an exception for an unknown tool.
   */
  private static List<Message> correction(Prompt prompt, @Nullable ChatResponse response) {
    Generation said = response == null ? null : response.getResult();
    if (!OFFERS_CALLBACKS_ONLY
        || said == null
        || !(prompt.getOptions() instanceof ToolCallingChatOptions options)) {
      return List.of();
    }
    List<ToolCallback> tools = Objects.requireNonNullElse(options.getToolCallbacks(), List.of());
    List<String> offered = tools.stream().map(tool -> tool.getToolDefinition().name()).toList();
    List<ToolCall> calls = said.getOutput().getToolCalls();
    if (calls.stream().allMatch(call -> offered.contains(call.name()))) {
      return List.of();
    }
    List<ToolResponse> errors =
        calls.stream()
            .map(call -> new ToolResponse(call.id(), call.name(), error(call.name(), offered)))
            .toList();
    return List.of(said.getOutput(), ToolResponseMessage.builder().responses(errors).build());
  }

  private static String error(String tool, List<String> offered) {
    return offered.contains(tool)
        ? "ERROR: not called, because the message also calls an unknown tool; repeat the call"
        : "ERROR: unknown tool "
            + RalphException.quote(tool)
            + "; use one of "
            + String.join(", ", offered);
  }

  private static Usage usage(@Nullable ChatResponse response) {
    org.springframework.ai.chat.metadata.Usage told =
        response == null ? null : response.getMetadata().getUsage();
    return told == null || told.getTotalTokens() == 0
        ? Usage.UNKNOWN
        : Usage.of(told.getPromptTokens(), told.getCompletionTokens(), null);
  }
}
