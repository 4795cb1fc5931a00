package dev.ralph.core.internal.delivery;

import dev.ralph.Message;
import dev.ralph.core.internal.text.TextExcerpt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Renders the operator's messages and mail for an agent, in prompts and during its work. Mail is
 * never labelled as the operator's.
 */
public final class OperatorMessages {

  private static final int NAME = 40;
  private static final int HEADLINE = 500;

  private OperatorMessages() {}

  /**
   * Renders a whole message as an item of a prompt. The text equals the text of ralph.nu, which
   * scripts parse, so only mail has its sender.
   */
  public static String inPrompt(Message message) {
    return begin(message)
        + (message.isFromBox() ? sender(message) : "")
        + about(message)
        + whole(message);
  }

  /** Renders a message as an item of a prompt, with a limited number of characters of its text. */
  public static String shortened(Message message, int characters) {
    String text = message.beginning(characters);
    return begin(message)
        + (message.isFromBox() ? sender(message) : "")
        + about(message)
        + TextExcerpt.indented(text)
        + (text.length() < message.length() ? "…" : "");
  }

  /** Renders a whole message as an item of a list, with its sender. */
  public static String item(Message message) {
    return heading(message) + whole(message);
  }

  /** Renders the heading of a message: its id, time, sender and headline. */
  public static String heading(Message message) {
    return begin(message) + sender(message) + about(message);
  }

  private static String sender(Message message) {
    String name = name(message);
    return (message.isFromBox() ? " mail from" : "") + (name.isEmpty() ? "" : " " + name);
  }

  private static String name(Message message) {
    String by = message.by();
    String name = by == null ? "" : TextExcerpt.firstLine(by, NAME);
    return name.isEmpty() && message.isFromBox() ? "somebody" : name;
  }

  private static String about(Message message) {
    String headline = message.headline();
    return ": " + (headline == null ? "" : TextExcerpt.firstLine(headline, HEADLINE) + ": ");
  }

  private static String whole(Message message) {
    int length = message.length();
    String text = message.beginning(length);
    return TextExcerpt.indented(text)
        + (text.length() < length ? "… (the rest of this message is lost)" : "");
  }

  private static String begin(Message message) {
    String addressee = message.agent() == 0 ? "" : " for agent " + message.agent();
    return "- [m"
        + message.number()
        + "] "
        + TextExcerpt.firstLine(message.timestamp(), NAME)
        + addressee;
  }

  /**
   * Renders messages that arrive during an agent's work, under a heading for the operator and one
   * for each box.
   *
   * @param item renders a message as an item of a list
   */
  public static String whileAtWork(
      List<AgentInbox.Delivery> deliveries, Function<Message, String> item) {
    return parts("sent while you work", deliveries, item);
  }

  /**
   * Renders messages that an agent has not marked as read, under headings like those of {@link
   * #whileAtWork}.
   *
   * @param item renders a message as an item of a list
   */
  public static String unread(List<Message> messages, Function<Message, String> item) {
    List<AgentInbox.Delivery> deliveries =
        messages.stream().map(message -> new AgentInbox.Delivery(message, false)).toList();
    return parts("not read yet", deliveries, item);
  }

  private static String parts(
      String when, List<AgentInbox.Delivery> deliveries, Function<Message, String> item) {
    Map<String, List<AgentInbox.Delivery>> parts = new LinkedHashMap<>();
    for (AgentInbox.Delivery delivery : deliveries) {
      parts
          .computeIfAbsent(from(delivery.message(), when), sender -> new ArrayList<>())
          .add(delivery);
    }
    List<String> texts = new ArrayList<>();
    parts.forEach((from, part) -> texts.add(part(from, part, item)));
    return String.join("\n\n", texts);
  }

  /** The text after the name marks mail, because a box may have any name, such as OPERATOR. */
  private static String from(Message message, String when) {
    return message.isFromBox()
        ? name(message) + ", by mail (" + when + ")"
        : "THE OPERATOR (" + when + ": take this into account now)";
  }

  private static String part(
      String from, List<AgentInbox.Delivery> deliveries, Function<Message, String> item) {
    StringBuilder text = new StringBuilder("## ");
    text.append(deliveries.size() == 1 ? "MESSAGE" : "MESSAGES").append(" FROM ").append(from);
    for (AgentInbox.Delivery delivery : deliveries) {
      text.append('\n').append(item.apply(delivery.message()));
      if (delivery.again()) {
        text.append("\n  (shown again, because the first delivery may have been lost)");
      }
    }
    return text.toString();
  }
}
