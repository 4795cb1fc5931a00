package dev.ralph.spring.ai;

import dev.ralph.tool.AgentTools;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;

/** Converts a session's tools to tools of Spring AI. */
public final class SessionToolCallbacks {

  private SessionToolCallbacks() {}

  /**
   * Returns the callbacks for a client or model. The text of an error begins with {@code ERROR:}.
   */
  public static List<ToolCallback> of(AgentTools tools) {
    return tools.definitions().stream().map(tool -> callback(tools, tool)).toList();
  }

  private static ToolCallback callback(AgentTools tools, AgentTools.Definition tool) {
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

      /** Ignores the context, which does not originate from the model. */
      @Override
      public String call(String arguments, @Nullable ToolContext context) {
        return call(arguments);
      }
    };
  }
}
