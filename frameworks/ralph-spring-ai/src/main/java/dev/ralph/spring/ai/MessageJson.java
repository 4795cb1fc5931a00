package dev.ralph.spring.ai;

import dev.ralph.internal.UnicodeText;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.MessageType;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.content.Media;
import org.springframework.ai.content.MediaContent;
import org.springframework.util.MimeType;

/**
 * Renders and parses messages as JSON. Equal messages have equal texts. A message that would change
 * when it is read back is rejected, with the name of the unsupported class or metadata.
 */
final class MessageJson {

  private MessageJson() {}

  /**
   * Renders a message as JSON.
   *
   * @throws RalphException UNSUPPORTED if the message contains a value without a JSON
   *     representation
   */
  static String of(Message message) {
    requireNoOtherFields(message, base(message));
    Meta json =
        with(Meta.of("type", message.getMessageType().getValue()), "text", message.getText());
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
    return MetadataJson.add(json, message.getMetadata()).json();
  }

  /**
   * Parses a message.
   *
   * @throws RuntimeException if the text is no message
   */
  static Message message(String text) {
    Meta json = Meta.parse(text);
    String said = json.string("text");
    String content = said == null ? "" : said;
    Map<String, @Nullable Object> metadata = MetadataJson.of(json);
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

  /** Returns the class of a message after it is read back. */
  private static Class<?> base(Message message) {
    return switch (message.getMessageType()) {
      case USER -> UserMessage.class;
      case SYSTEM -> SystemMessage.class;
      case ASSISTANT -> AssistantMessage.class;
      case TOOL -> ToolResponseMessage.class;
    };
  }

  /** Rejects an object of another class, except a subclass without additional fields. */
  private static void requireNoOtherFields(Object object, Class<?> base) {
    if (!base.isInstance(object)) {
      throw RalphException.unsupported(
          "an object of the class "
              + object.getClass().getName()
              + " cannot be stored; save a "
              + base.getSimpleName()
              + " instead");
    }
    for (Class<?> type = object.getClass(); type != base; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
          throw RalphException.unsupported(
              "the field '"
                  + field.getName()
                  + "' of the class "
                  + type.getName()
                  + " cannot be stored; save a "
                  + base.getSimpleName()
                  + " instead, with the value in the metadata");
        }
      }
    }
  }

  private static Meta with(Meta json, String key, @Nullable String text) {
    return text == null ? json : json.with(key, UnicodeText.of(text));
  }

  private static Meta list(Meta json, String key, List<Meta> objects) {
    return objects.isEmpty() ? json : json.with(key, objects);
  }

  private static Meta call(AssistantMessage.ToolCall call) {
    Meta json = with(with(Meta.empty(), "id", call.id()), "type", call.type());
    return with(with(json, "name", call.name()), "arguments", call.arguments());
  }

  @SuppressWarnings("NullAway") // models omit ids, although the record declares them non-null
  private static AssistantMessage.ToolCall call(Meta json) {
    return new AssistantMessage.ToolCall(
        json.string("id"), json.string("type"), json.string("name"), json.string("arguments"));
  }

  private static Meta response(ToolResponseMessage.ToolResponse response) {
    Meta json = with(with(Meta.empty(), "id", response.id()), "name", response.name());
    return with(json, "data", response.responseData());
  }

  @SuppressWarnings("NullAway") // models omit ids, although the record declares them non-null
  private static ToolResponseMessage.ToolResponse response(Meta json) {
    return new ToolResponseMessage.ToolResponse(
        json.string("id"), json.string("name"), json.string("data"));
  }

  private static Meta media(Media media) {
    requireNoOtherFields(media, Media.class);
    Meta json = with(Meta.empty(), "mime", media.getMimeType().toString());
    json = with(with(json, "id", media.getId()), "name", media.getName());
    if (media.getData() instanceof byte[] bytes) {
      return json.with("base64", Base64.getEncoder().encodeToString(bytes));
    }
    if (media.getData() instanceof String text) {
      return with(json, "uri", text); // usually a URI, but media accept any text
    }
    throw RalphException.unsupported(
        "media with data of the class "
            + media.getData().getClass().getName()
            + " cannot be stored; use bytes, a URI or a text");
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
        media.data(text(one, "uri"));
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
}
