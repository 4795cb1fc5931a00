package dev.ralph.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A line typed on the screen. Enter submits the line; Escape cancels, like Enter on an empty line.
 * Not thread-safe.
 */
public final class TypedLine {

  private static final int ESCAPE = 0x1b;
  private static final int DELETE = 0x7f;
  private static final int CLEAR = 0x15;
  private static final int MOST_BYTES = 16_000;

  private final String label;
  private final Function<String, ScrolledScreen.Reply> entered;
  private String text = "";
  private final ByteArrayOutputStream character = new ByteArrayOutputStream();

  /**
   * @param label the label of the line
   * @param entered executes the line, and returns the reply
   */
  public TypedLine(String label, Function<String, ScrolledScreen.Reply> entered) {
    this.label = label;
    this.entered = entered;
  }

  /** Returns the label and the text typed so far. */
  String shown() {
    return label + text;
  }

  /**
   * Processes the next byte.
   *
   * @return null while the line is incomplete, else the reply
   */
  ScrolledScreen.@Nullable Reply take(int b) {
    if (b == ESCAPE) {
      return ScrolledScreen.Reply.message("");
    }
    if (b == '\r' || b == '\n') {
      return text.isBlank() ? ScrolledScreen.Reply.message("") : entered.apply(text);
    }
    if (b == '\b' || b == DELETE) {
      text = text.isEmpty() ? text : text.substring(0, text.offsetByCodePoints(text.length(), -1));
    } else if (b == CLEAR) {
      text = "";
    } else if (b == '\t' || b >= ' ') {
      add(b);
    }
    return null;
  }

  private void add(int b) {
    boolean isWithin = (b & 0xc0) == 0x80;
    if (!isWithin) {
      character.reset();
    }
    character.write(b);
    int length = b < 0x80 ? 1 : first() >= 0xf0 ? 4 : first() >= 0xe0 ? 3 : 2;
    if (character.size() == length && text.length() < MOST_BYTES) {
      text += character.toString(StandardCharsets.UTF_8);
      character.reset();
    }
  }

  private int first() {
    return character.toByteArray()[0] & 0xff;
  }
}
