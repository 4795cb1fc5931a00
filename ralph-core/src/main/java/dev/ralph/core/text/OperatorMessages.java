package dev.ralph.core.text;

import dev.ralph.Message;
import dev.ralph.tool.Delivery;
import java.util.List;
import java.util.function.Function;

/** The operator's messages as an agent is shown them, in prompts and while it works. */
public final class OperatorMessages {

  private static final int NAME = 40;

  private OperatorMessages() {}

  /**
   * Returns a message as an item of a prompt, whole: in ralph.nu's words, which agents that are
   * scripts look for. They do not tell who has sent it.
   */
  public static String inPrompt(Message message) {
    return begin(message) + ": " + whole(message);
  }

  /** Returns a message as an item of a list, whole, with who has sent it. */
  public static String item(Message message) {
    return heading(message) + whole(message);
  }

  /** Returns what stands before a message's text: its id, when it was sent, and by whom. */
  public static String heading(Message message) {
    String by = message.by();
    return begin(message)
        + (by == null || by.isBlank() ? "" : " " + Excerpt.firstLine(by, NAME))
        + ": ";
  }

  private static String whole(Message message) {
    int length = message.length();
    String text = message.beginning(length);
    return Excerpt.indented(text)
        + (text.length() < length ? "… (the rest of this message is lost)" : "");
  }

  private static String begin(Message message) {
    return "- [" + message.shortId() + "] " + Excerpt.firstLine(message.timestamp(), NAME);
  }

  /**
   * Returns messages that come while an agent works, under a heading that tells it so.
   *
   * @param item returns a message as an item of a list
   */
  public static String whileAtWork(List<Delivery> deliveries, Function<Message, String> item) {
    StringBuilder text = new StringBuilder("## ");
    text.append(deliveries.size() == 1 ? "MESSAGE" : "MESSAGES")
        .append(" FROM THE OPERATOR (sent while you work: take this into account now)");
    for (Delivery delivery : deliveries) {
      text.append('\n').append(item.apply(delivery.message()));
      if (delivery.again()) {
        text.append("\n  (shown again, because the first time may have been lost)");
      }
    }
    return text.toString();
  }
}
