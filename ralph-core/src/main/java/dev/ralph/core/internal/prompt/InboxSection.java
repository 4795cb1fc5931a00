package dev.ralph.core.internal.prompt;

import dev.ralph.Message;
import dev.ralph.core.internal.delivery.OperatorMessages;
import dev.ralph.core.internal.inbox.MessageRecipient;
import java.util.ArrayList;
import java.util.List;

/**
 * The unread messages, in the format of ralph.nu. Messages are never cut. If they exceed the input
 * of any model, only the first messages are shown; the next prompt shows the others.
 */
final class InboxSection {

  static final String HEADING = "## INBOX (Unread Messages - Process these first!)";

  /**
   * The instruction for prompts without commands: a tool of the agent's host marks messages as
   * read.
   */
  static final String MARK_READ_TOOL =
      "After reading, call inbox_mark_read(session_name, id) for each message.";

  /**
   * The maximum length of all messages in characters, about 250,000 tokens. A single message may be
   * longer.
   */
  private static final int MOST_CHARACTERS = 1_000_000;

  private static final int MOST_HANDLED = 10;

  /** The maximum length of a handled message in characters, about 250 tokens. */
  private static final int HANDLED = 1_000;

  private InboxSection() {}

  static String render(List<Message> unread, String markReadInstruction) {
    if (unread.isEmpty()) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    lines.add(HEADING);
    long characters = 0;
    int shown = 0;
    for (Message message : unread) {
      characters += message.length();
      if (shown > 0 && characters > MOST_CHARACTERS) {
        lines.add(
            "(and " + (unread.size() - shown) + " more, shown once these are marked as read)");
        break;
      }
      lines.add(OperatorMessages.inPrompt(message));
      shown++;
    }
    lines.add("");
    lines.add(markReadInstruction);
    return String.join("\n", lines);
  }

  /**
   * Renders the newest messages marked as read by one of several agents, with the agent's number. A
   * long message is shortened.
   *
   * @param all all messages, oldest first
   * @param recipient the agent that reads the section
   */
  static String renderHandled(List<Message> all, MessageRecipient recipient) {
    List<String> lines = new ArrayList<>();
    for (int i = all.size() - 1; i >= 0 && lines.size() < MOST_HANDLED; i--) {
      Message message = all.get(i);
      if (message.isRead() && message.readBy() > 0 && recipient.receives(message.agent())) {
        lines.add(
            0,
            "- agent "
                + message.readBy()
                + ": "
                + OperatorMessages.shortened(message, HANDLED).substring(2));
      }
    }
    if (lines.isEmpty()) {
      return "";
    }
    lines.add(0, "## Messages that agents have handled (no action needed)");
    return String.join("\n", lines);
  }
}
