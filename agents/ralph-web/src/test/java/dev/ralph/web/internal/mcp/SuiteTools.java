package dev.ralph.web.internal.mcp;

import dev.ralph.HostTools;
import dev.ralph.Ralph;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The tools that the conformance suite calls, limited to tools with text results. */
final class SuiteTools implements HostTools {

  private static final String NO_ARGUMENTS = "{\"type\":\"object\",\"properties\":{}}";

  /** A schema with keywords of JSON Schema 2020-12, which must reach the client unchanged. */
  private static final String SCHEMA_2020_12 =
      """
      {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
       "$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties":
         {"street": {"type": "string"}, "city": {"type": "string"}}}},
       "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
         "contactMethod": {"type": "string", "enum": ["phone", "email"]},
         "phone": {"type": "string"}, "email": {"type": "string"}},
       "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
       "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
       "then": {"required": ["phone"]}, "else": {"required": ["email"]},
       "additionalProperties": false}
      """;

  @Override
  public List<AgentTools.Definition> definitions() {
    return List.of(
        tool("test_simple_text", NO_ARGUMENTS),
        tool("test_error_handling", NO_ARGUMENTS),
        tool("test_tool_with_progress", NO_ARGUMENTS),
        tool("test_streaming_elicitation", NO_ARGUMENTS),
        tool("test_logging_tool", NO_ARGUMENTS),
        tool("json_schema_2020_12_tool", SCHEMA_2020_12));
  }

  private static AgentTools.Definition tool(String name, String schema) {
    return new AgentTools.Definition(name, "Called by the suite", schema, true);
  }

  @Override
  public AgentTools.Result call(Ralph ralph, String name, Meta arguments) {
    if (name.equals("test_error_handling")) {
      throw RalphException.invalid("This tool intentionally returns an error for testing");
    }
    return AgentTools.Result.of("This is a simple text response for testing.");
  }

  @Override
  public AgentTools.Call begin(Supplier<Ralph> ralph, String name, Meta arguments) {
    AgentTools.Call call = HostTools.super.begin(ralph, name, arguments);
    return name.equals("test_tool_with_progress") ? new InSteps(call) : call;
  }

  @Override
  public void close() {
    // No resources to release; the next agent uses these tools too.
  }

  /** A call that reports progress three times. */
  private record InSteps(AgentTools.Call call) implements AgentTools.Call {

    @Override
    public AgentTools.Result run(Consumer<String> progress) {
      for (String step : List.of("begun", "half done", "done")) {
        progress.accept(step);
      }
      return call.run(progress);
    }

    @Override
    public void answered() {
      call.answered();
    }
  }
}
