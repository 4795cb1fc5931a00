package dev.ralph.core.internal.prompt;

import dev.ralph.Message;
import dev.ralph.core.text.OperatorMessages;
import java.util.ArrayList;
import java.util.List;

/** The unread messages, in the words that ralph.nu uses. Never cut: they are the operator's. */
final class InboxSection {

  static final String HEADING = "## INBOX (Unread Messages - Process these first!)";

  /** How messages are marked where the prompt names no commands: by a tool of the agent's host. */
  static final String MARK_READ_TOOL =
      "After reading, call inbox_mark_read(session_name, id) for each message.";

  private InboxSection() {}

  static String render(List<Message> unread, String markReadInstruction) {
    if (unread.isEmpty()) {
      return "";
    }
    List<String> lines = new ArrayList<>();
    lines.add(HEADING);
    unread.forEach(message -> lines.add(OperatorMessages.inPrompt(message)));
    lines.add("");
    lines.add(markReadInstruction);
    return String.join("\n", lines);
  }
}
