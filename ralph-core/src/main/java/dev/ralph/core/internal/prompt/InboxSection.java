package dev.ralph.core.internal.prompt;

import dev.ralph.Message;
import dev.ralph.core.internal.text.OperatorMessages;
import java.util.ArrayList;
import java.util.List;

/**
 * The unread messages, in the words that ralph.nu uses. Never cut: they are the operator's. Where
 * they are more than any model takes in, the first ones; the next prompt has the others.
 */
final class InboxSection {

  static final String HEADING = "## INBOX (Unread Messages - Process these first!)";

  /** How messages are marked where the prompt names no commands: by a tool of the agent's host. */
  static final String MARK_READ_TOOL =
      "After reading, call inbox_mark_read(session_name, id) for each message.";

  /** About 250,000 tokens. A single message may have more. */
  private static final int MOST_CHARACTERS = 1_000_000;

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
}
