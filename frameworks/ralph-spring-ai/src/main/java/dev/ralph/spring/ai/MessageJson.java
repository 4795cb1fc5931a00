package dev.ralph.spring.ai;

import dev.ralph.log.Meta;
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AbstractMessage;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.MessageType;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.content.Media;
import org.springframework.ai.content.MediaContent;
import org.springframework.util.MimeType;

/** A message as JSON; the same message is always the same text. */
final class MessageJson {

  private MessageJson() {}

  static String of(Message message) {
    Meta json =
        Meta.of("type", message.getMessageType().getValue()).with("text", message.getText());
    if (message instanceof AssistantMessage said) {
      json = list(json, "calls", said.getToolCalls().stream().map(MessageJson::call).toList());
    } else if (message instanceof ToolResponseMessage tools) {
      json =
          list(
              json, "responses", tools.getResponses().stream().map(MessageJson::response).toList());
    }
    if (message instanceof MediaContent content) {
      json = list(json, "media", content.getMedia().stream().map(MessageJson::media).toList());
    }
    Meta metadata = object(message.getMetadata());
    return (metadata.keys().isEmpty() ? json : json.with("metadata", metadata)).json();
  }

  static Message message(String text) {
    Meta json = Meta.parse(text);
    String said = json.string("text");
    String content = said == null ? "" : said;
    Meta kept = json.object("metadata");
    Map<String, Object> metadata = kept == null ? new TreeMap<>() : map(kept);
    return switch (MessageType.valueOf(text(json, "type").toUpperCase(Locale.ROOT))) {
      case USER ->
          UserMessage.builder().text(content).media(media(json)).metadata(metadata).build();
      case SYSTEM -> SystemMessage.builder().text(content).metadata(metadata).build();
      case ASSISTANT ->
          AssistantMessage.builder()
              .content(said)
              .toolCalls(json.objects("calls").stream().map(MessageJson::call).toList())
              .media(media(json))
              .properties(metadata)
              .build();
      case TOOL ->
          ToolResponseMessage.builder()
              .responses(json.objects("responses").stream().map(MessageJson::response).toList())
              .metadata(metadata)
              .build();
    };
  }

  private static Meta list(Meta json, String key, List<Meta> objects) {
    return objects.isEmpty() ? json : json.with(key, objects);
  }

  private static Meta call(AssistantMessage.ToolCall call) {
    return Meta.of("id", call.id())
        .with("type", call.type())
        .with("name", call.name())
        .with("arguments", call.arguments());
  }

  private static AssistantMessage.ToolCall call(Meta json) {
    return new AssistantMessage.ToolCall(
        text(json, "id"), text(json, "type"), text(json, "name"), text(json, "arguments"));
  }

  private static Meta response(ToolResponseMessage.ToolResponse response) {
    return Meta.of("id", response.id())
        .with("name", response.name())
        .with("data", response.responseData());
  }

  private static ToolResponseMessage.ToolResponse response(Meta json) {
    return new ToolResponseMessage.ToolResponse(
        text(json, "id"), text(json, "name"), text(json, "data"));
  }

  private static Meta media(Media media) {
    Meta json =
        Meta.of("mime", media.getMimeType().toString())
            .with("id", media.getId())
            .with("name", media.getName());
    return media.getData() instanceof byte[] bytes
        ? json.with("base64", Base64.getEncoder().encodeToString(bytes))
        : json.with("uri", media.getData().toString());
  }

  private static List<Media> media(Meta json) {
    List<Media> all = new ArrayList<>();
    for (Meta one : json.objects("media")) {
      Media.Builder media = Media.builder().mimeType(MimeType.valueOf(text(one, "mime")));
      String id = one.string("id");
      String name = one.string("name");
      if (id != null) {
        media.id(id);
      }
      if (name != null) {
        media.name(name);
      }
      String bytes = one.string("base64");
      if (bytes == null) {
        media.data(URI.create(text(one, "uri")));
      } else {
        media.data(Base64.getDecoder().decode(bytes));
      }
      all.add(media.build());
    }
    return all;
  }

  private static String text(Meta json, String key) {
    String text = json.string(key);
    return text == null ? "" : text;
  }

  /**
   * Returns what JSON has of a map, without the message's type, which every message says itself.
   */
  private static Meta object(Map<?, ?> map) {
    Map<String, Object> sorted = new TreeMap<>();
    map.forEach(
        (key, value) -> {
          Object kept = value(value);
          if (kept != null && !AbstractMessage.MESSAGE_TYPE.equals(key)) {
            sorted.put(String.valueOf(key), kept);
          }
        });
    Meta json = Meta.empty();
    for (Map.Entry<String, Object> each : sorted.entrySet()) {
      json = json.with(each.getKey(), each.getValue());
    }
    return json;
  }

  /** Returns a value as JSON has it, or null where it has no such value. */
  private static @Nullable Object value(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return object(map);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(MessageJson::value).filter(Objects::nonNull).toList();
    }
    if (value instanceof Double number && !Double.isFinite(number)) {
      return null;
    }
    return value instanceof String
            || value instanceof Boolean
            || value instanceof Integer
            || value instanceof Long
            || value instanceof Double
            || value instanceof BigDecimal
        ? value
        : null;
  }

  private static Map<String, Object> map(Meta json) {
    Map<String, Object> map = new TreeMap<>();
    for (String key : json.keys()) {
      Object value = json.value(key);
      if (value != null) {
        map.put(key, plain(value));
      }
    }
    return map;
  }

  private static Object plain(Object value) {
    if (value instanceof Meta object) {
      return map(object);
    }
    return value instanceof List<?> list ? list.stream().map(MessageJson::plain).toList() : value;
  }
}
