package dev.ralph.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.request.json.JsonArraySchema;
import dev.langchain4j.model.chat.request.json.JsonBooleanSchema;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonNumberSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.langchain4j.model.chat.request.json.JsonStringSchema;
import dev.ralph.log.Meta;
import dev.ralph.tool.AgentTools;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts a session's tools to tools of LangChain4j. */
public final class SessionTools {

  private SessionTools() {}

  /** Returns the specifications of the tools, for a request to a model. */
  public static List<ToolSpecification> specifications(AgentTools tools) {
    return tools.definitions().stream().map(SessionTools::specification).toList();
  }

  /**
   * Executes a tool call of a model.
   *
   * @return the result for the model; an error begins with {@code ERROR:}
   */
  public static ToolExecutionResultMessage call(AgentTools tools, ToolExecutionRequest request) {
    String text = tools.call(request.name(), request.arguments()).text();
    return ToolExecutionResultMessage.from(request, text);
  }

  private static ToolSpecification specification(AgentTools.Definition tool) {
    return ToolSpecification.builder()
        .name(tool.name())
        .description(tool.description())
        .parameters(object(Meta.parse(tool.schema())))
        .build();
  }

  private static JsonObjectSchema object(Meta schema) {
    JsonObjectSchema.Builder object = JsonObjectSchema.builder();
    Meta properties = schema.object("properties");
    if (properties != null) {
      for (String name : properties.keys()) {
        Meta property = properties.object(name);
        object.addProperty(name, element(property == null ? Meta.empty() : property));
      }
    }
    object.required(schema.strings("required"));
    if (Boolean.FALSE.equals(schema.value("additionalProperties"))) {
      object.additionalProperties(false);
    }
    return object.description(schema.string("description")).build();
  }

  private static JsonSchemaElement element(Meta schema) {
    String description = schema.string("description");
    List<String> values = schema.strings("enum");
    if (!values.isEmpty()) {
      return JsonEnumSchema.builder().enumValues(values).description(description).build();
    }
    return switch (type(schema)) {
      case "object" -> object(schema);
      case "array" -> array(schema.object("items"), description);
      case "integer" -> JsonIntegerSchema.builder().description(description).build();
      case "number" -> JsonNumberSchema.builder().description(description).build();
      case "boolean" -> JsonBooleanSchema.builder().description(description).build();
      default -> JsonStringSchema.builder().description(description).build();
    };
  }

  private static String type(Meta schema) {
    String type = schema.string("type");
    return type == null ? "string" : type;
  }

  private static JsonArraySchema array(@Nullable Meta items, @Nullable String description) {
    JsonSchemaElement item = element(items == null ? Meta.empty() : items);
    return JsonArraySchema.builder().items(item).description(description).build();
  }
}
