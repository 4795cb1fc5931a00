package dev.ralph.spring.ai;

import dev.ralph.tool.AgentTools;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;

/** A session's tools as Spring AI has tools. */
public final class SessionToolCallbacks {

  private SessionToolCallbacks() {}

  /**
   * Returns what to give to a client or model; what it is shown of an error begins {@code ERROR:}.
   */
  public static List<ToolCallback> of(AgentTools tools) {
    return tools.definitions().stream().map(tool -> callback(tools, tool)).toList();
  }

  private static ToolCallback callback(AgentTools tools, dev.ralph.tool.ToolDefinition tool) {
    ToolDefinition definition =
        ToolDefinition.builder()
            .name(tool.name())
            .description(tool.description())
            .inputSchema(tool.schema())
            .build();
    return new ToolCallback() {
      @Override
      public ToolDefinition getToolDefinition() {
        return definition;
      }

      @Override
      public String call(String arguments) {
        return tools.call(definition.name(), arguments).text();
      }

      /** The context is none of the model's, and so none of the tool's. */
      @Override
      public String call(String arguments, @Nullable ToolContext context) {
        return call(arguments);
      }
    };
  }
}
