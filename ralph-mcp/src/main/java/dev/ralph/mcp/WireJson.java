package dev.ralph.mcp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;

/**
 * JSON for the few messages that a server of tools exchanges. The SDK's own mapper binds classes by
 * reflection, which takes a third of the time that a client waits for a server to start; it is made
 * only for a message that is not known here. Safe for use by many threads.
 */
final class WireJson implements McpJsonMapper {

  private static final JsonFactory FACTORY = new JsonFactory();

  /** Deeper than any message; a stack that ends costs the client its server. */
  private static final int DEEPEST = 200;

  /** Loaded when it is needed. */
  private static final class Binding {
    private static final McpJsonMapper MAPPER = new JacksonMcpJsonMapper(new ObjectMapper());
  }

  // ---- reading

  /** Says in words for a client why a text is no message. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;
    private final boolean tooBig;

    private UnreadableException(String reason, boolean tooBig, @Nullable Throwable cause) {
      super(reason, cause);
      this.reason = reason;
      this.tooBig = tooBig;
    }

    String reason() {
      return reason;
    }

    /** Returns whether all that is known to be wrong with the text is that it is too big. */
    boolean tooBig() {
      return tooBig;
    }
  }

  /**
   * Returns the object, as a map, or the array, as a list, that the text is.
   *
   * @throws UnreadableException if it is neither, or more than one
   */
  Object read(byte[] text) throws UnreadableException {
    try (JsonParser parser = FACTORY.createParser(text)) {
      JsonToken first = parser.nextToken();
      if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
        throw new UnreadableException("a line must be one JSON object", false, null);
      }
      Object read = Objects.requireNonNull(value(parser, 0), "an object or an array");
      if (parser.nextToken() != null) {
        throw new UnreadableException("a line must be one JSON object, and no more", false, null);
      }
      return read;
    } catch (StreamConstraintsException e) {
      throw new UnreadableException("a number or a name in the line is too long", true, e);
    } catch (JsonProcessingException e) {
      throw new UnreadableException(
          "the line is not JSON in UTF-8, as it must be: see byte "
              + e.getLocation().getByteOffset(),
          false,
          e);
    } catch (IOException e) {
      throw new UnreadableException("the line is not JSON in UTF-8, as it must be", false, e);
    }
  }

  private static Map<String, Object> object(JsonParser parser, int depth)
      throws IOException, UnreadableException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser, depth + 1));
    }
    return object;
  }

  @Nullable
  private static Object value(JsonParser parser, int depth)
      throws IOException, UnreadableException {
    if (depth > DEEPEST) {
      throw new UnreadableException("nested deeper than " + DEEPEST + " levels", true, null);
    }
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw new IOException("cut off");
    }
    switch (token) {
      case START_OBJECT:
        return object(parser, depth);
      case START_ARRAY:
        List<Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          array.add(value(parser, depth + 1));
        }
        return array;
      case VALUE_STRING:
        return parser.getText();
      case VALUE_NUMBER_INT:
      case VALUE_NUMBER_FLOAT:
        return parser.getNumberValue();
      case VALUE_TRUE:
        return true;
      case VALUE_FALSE:
        return false;
      case VALUE_NULL:
        return null;
      default:
        throw new IOException("not JSON: " + token);
    }
  }

  /** Returns the text or the number that is written so, or null if it is neither. */
  @Nullable
  static Object scalar(byte[] token) {
    try (JsonParser parser = FACTORY.createParser(token)) {
      JsonToken kind = parser.nextToken();
      Object value = null;
      if (kind == JsonToken.VALUE_STRING) {
        value = parser.getText();
      } else if (kind != null && kind.isNumeric()) {
        value = new BigDecimal(parser.getText());
      }
      return parser.nextToken() == null ? value : null;
    } catch (IOException | NumberFormatException e) {
      return null;
    }
  }

  @Override
  public <T> T readValue(String content, Class<T> type) throws IOException {
    return Binding.MAPPER.readValue(content, type);
  }

  @Override
  public <T> T readValue(byte[] content, Class<T> type) throws IOException {
    return Binding.MAPPER.readValue(content, type);
  }

  @Override
  public <T> T readValue(String content, TypeRef<T> type) throws IOException {
    return Binding.MAPPER.readValue(content, type);
  }

  @Override
  public <T> T readValue(byte[] content, TypeRef<T> type) throws IOException {
    return Binding.MAPPER.readValue(content, type);
  }

  @Override
  public <T> T convertValue(Object from, Class<T> type) {
    Object known = known(from, type);
    return known != null ? type.cast(known) : Binding.MAPPER.convertValue(from, type);
  }

  @Override
  @SuppressWarnings("unchecked") // what is known is of the type asked for
  public <T> T convertValue(Object from, TypeRef<T> type) {
    Object known = known(from, type.getType());
    return known != null ? (T) known : Binding.MAPPER.convertValue(from, type);
  }

  /** Returns the value as one of that type, or null if that is not known here. */
  @Nullable
  private static Object known(@Nullable Object from, Type type) {
    if (from instanceof Map<?, ?> object) {
      if (type == McpSchema.InitializeRequest.class) {
        return initializeRequest(object);
      } else if (type == McpSchema.CallToolRequest.class
          && object.get("name") instanceof String name
          && (object.get("arguments") == null || object.get("arguments") instanceof Map)) {
        return McpSchema.CallToolRequest.builder(name)
            .arguments(asObject(object.get("arguments")))
            .build();
      }
    }
    return null;
  }

  /** What the client is capable of is left out: the server asks nothing of it. */
  private static McpSchema.InitializeRequest initializeRequest(Map<?, ?> object) {
    Map<String, Object> client = asObject(object.get("clientInfo"));
    return McpSchema.InitializeRequest.builder(
            String.valueOf(object.get("protocolVersion")),
            McpSchema.ClientCapabilities.builder().build(),
            McpSchema.Implementation.builder(
                    orUnknown(client.get("name")), orUnknown(client.get("version")))
                .build())
        .build();
  }

  /** The SDK insists on a name, for which nobody here has a use. */
  private static String orUnknown(@Nullable Object name) {
    return name instanceof String text && !text.isBlank() ? text : "unknown";
  }

  @SuppressWarnings("unchecked") // objects of JSON have texts as keys
  private static Map<String, Object> asObject(@Nullable Object value) {
    return value instanceof Map ? (Map<String, Object>) value : Map.of();
  }

  // ---- writing

  @Override
  public String writeValueAsString(Object value) throws IOException {
    return new String(writeValueAsBytes(value), StandardCharsets.UTF_8);
  }

  @Override
  public byte[] writeValueAsBytes(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
      write(out, value);
    }
    return bytes.toByteArray();
  }

  private static void write(JsonGenerator out, @Nullable Object value) throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof String text) {
      out.writeString(text);
    } else if (value instanceof Boolean truth) {
      out.writeBoolean(truth);
    } else if (value instanceof Number number) {
      write(out, number);
    } else if (value instanceof Map<?, ?> object) {
      out.writeStartObject();
      for (Map.Entry<?, ?> member : object.entrySet()) {
        out.writeFieldName(String.valueOf(member.getKey()));
        write(out, member.getValue());
      }
      out.writeEndObject();
    } else if (value instanceof List<?> list) {
      out.writeStartArray();
      for (Object item : list) {
        write(out, item);
      }
      out.writeEndArray();
    } else {
      write(out, plain(value));
    }
  }

  private static void write(JsonGenerator out, Number number) throws IOException {
    if (number instanceof BigInteger integer) {
      out.writeNumber(integer);
    } else if (number instanceof BigDecimal decimal) {
      out.writeNumber(decimal);
    } else if (number instanceof Double || number instanceof Float) {
      out.writeNumber(number.doubleValue());
    } else {
      out.writeNumber(number.longValue());
    }
  }

  /** Returns a value of the SDK's as maps and lists. */
  private static Object plain(Object value) {
    if (value instanceof McpSchema.JSONRPCResponse response) {
      Members members = new Members().add("jsonrpc", response.jsonrpc());
      members.map.put("id", response.id());
      return members.add("result", response.result()).add("error", response.error()).map;
    } else if (value instanceof McpSchema.JSONRPCResponse.JSONRPCError error) {
      return new Members()
          .add("code", error.code())
          .add("message", error.message())
          .add("data", error.data())
          .map;
    } else if (value instanceof McpSchema.InitializeResult result) {
      return new Members()
          .add("protocolVersion", result.protocolVersion())
          // The SDK adds logging, which nobody here does.
          .add("capabilities", Map.of("tools", Map.of("listChanged", false)))
          .add(
              "serverInfo",
              new Members()
                  .add("name", result.serverInfo().name())
                  .add("version", result.serverInfo().version())
                  .map)
          .add("instructions", result.instructions())
          .map;
    } else if (value instanceof McpSchema.ListToolsResult result) {
      return Map.of("tools", result.tools());
    } else if (value instanceof McpSchema.Tool tool) {
      return new Members()
          .add("name", tool.name())
          .add("description", tool.description())
          .add("inputSchema", tool.inputSchema())
          .add("annotations", tool.annotations())
          .map;
    } else if (value instanceof McpSchema.ToolAnnotations annotations) {
      return new Members()
          .add("readOnlyHint", annotations.readOnlyHint())
          .add("destructiveHint", annotations.destructiveHint())
          .add("openWorldHint", annotations.openWorldHint())
          .map;
    } else if (value instanceof McpSchema.CallToolResult result) {
      return new Members().add("content", result.content()).add("isError", result.isError()).map;
    } else if (value instanceof McpSchema.TextContent text) {
      return new Members().add("type", "text").add("text", text.text()).map;
    }
    return Binding.MAPPER.convertValue(value, Map.class);
  }

  /** The members of an object; what is null is left out. */
  private static final class Members {
    private final Map<String, Object> map = new LinkedHashMap<>();

    Members add(String name, @Nullable Object value) {
      if (value != null) {
        map.put(name, value);
      }
      return this;
    }
  }
}
