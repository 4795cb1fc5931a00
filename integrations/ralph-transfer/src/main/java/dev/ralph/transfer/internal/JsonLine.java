package dev.ralph.transfer.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.CharBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of a file, which is a JSON object. Nested objects stay text, because neither numbers nor
 * the order of members may change.
 */
final class JsonLine {

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  // LineReader has limited the line already
                  .maxStringLength(ExportFormat.MAX_LINE_BYTES)
                  .maxNumberLength(ExportFormat.MAX_LINE_BYTES)
                  .maxNameLength(ExportFormat.MAX_LINE_BYTES)
                  .build())
          .build();

  private record Member(JsonToken kind, String text) {}

  private final LineReader at;
  private final Map<String, Member> members = new HashMap<>();

  private JsonLine(LineReader at) {
    this.at = at;
  }

  /**
   * Parses a line.
   *
   * @throws BadLine if the line is not a single JSON object
   */
  static JsonLine parse(LineReader at, CharBuffer text) throws IOException {
    JsonLine line = new JsonLine(at);
    try {
      line.read(text.array(), text.limit());
    } catch (JsonProcessingException e) {
      throw at.wrong(
          (at.isEnded() ? "" : "the line is incomplete, so the file was cut; ")
              + "not a JSON object: "
              + String.valueOf(e.getOriginalMessage()).replace('\n', ' '));
    }
    return line;
  }

  private void read(char[] text, int length) throws IOException {
    try (JsonParser parser = JSON.createParser(text, 0, length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw at.wrong("not a JSON object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken kind = parser.nextToken();
        String value;
        if (kind.isStructStart()) {
          int from = (int) parser.currentTokenLocation().getCharOffset();
          parser.skipChildren();
          int to = (int) parser.currentLocation().getCharOffset();
          value = new String(text, from, to - from);
        } else {
          value = parser.getText();
        }
        members.put(name, new Member(kind, value));
      }
      if (parser.nextToken() != null) {
        throw at.wrong("text follows the JSON object");
      }
    }
  }

  /**
   * Returns the object with a new text in one member and everything else unchanged.
   *
   * @param text without characters that JSON escapes
   */
  static String replaceText(String object, String name, String text) throws IOException {
    try (JsonParser parser = JSON.createParser(object)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean matches = parser.currentName().equals(name);
        parser.nextToken();
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        int to = (int) parser.currentLocation().getCharOffset();
        if (matches) {
          return object.substring(0, from) + '"' + text + '"' + object.substring(to);
        }
      }
      return object;
    }
  }

  /** Returns whether the object has a non-null member of the given name. */
  boolean has(String name) {
    Member member = members.get(name);
    return member != null && member.kind != JsonToken.VALUE_NULL;
  }

  /**
   * Returns the text of a member, or null if it is missing or null.
   *
   * @throws BadLine if the member is not text
   */
  @Nullable String text(String name) {
    Member member = members.get(name);
    if (member == null || member.kind == JsonToken.VALUE_NULL) {
      return null;
    }
    if (member.kind != JsonToken.VALUE_STRING) {
      throw at.wrong("the " + name + " is not text");
    }
    return member.text;
  }

  /**
   * Returns the text of a member.
   *
   * @throws BadLine if the member is missing, null or not text
   */
  String required(String name) {
    String text = text(name);
    if (text == null) {
      throw at.wrong("it has no " + name);
    }
    return text;
  }

  /**
   * Returns an integer member.
   *
   * @param otherwise the value for a missing member
   * @throws BadLine if the member is not an integer of 64 bits
   */
  long number(String name, long otherwise) {
    Member member = members.get(name);
    if (member == null) {
      return otherwise;
    }
    try {
      if (member.kind == JsonToken.VALUE_NUMBER_INT) {
        return Long.parseLong(member.text);
      }
    } catch (NumberFormatException tooLarge) {
      // reported below
    }
    throw at.wrong("the " + name + " is not a whole number");
  }

  /** Returns whether a member is {@code true}. */
  boolean isTrue(String name) {
    Member member = members.get(name);
    return member != null && member.kind == JsonToken.VALUE_TRUE;
  }

  /** Returns the metadata, empty if missing or null; null if it is not a valid object. */
  @Nullable Meta meta() {
    Member member = members.get("meta");
    if (member == null || member.kind == JsonToken.VALUE_NULL) {
      return Meta.empty();
    }
    if (member.kind != JsonToken.START_OBJECT) {
      return null;
    }
    try {
      return Meta.parse(member.text);
    } catch (RalphException e) {
      throw at.wrong("its meta is " + e.getMessage());
    }
  }
}
