package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;

/** How a message is shown. */
public final class MessageForm {

  private MessageForm() {}

  /** Returns a message as a line, or several where its text has several. */
  public static String line(Message message, Style style) {
    String by = message.by();
    return "m"
        + message.number()
        + " ["
        + message.shortId()
        + "] "
        + style.faint(Times.local(message.sent()))
        + (by == null ? "" : " " + SafeText.line(by))
        + (message.isRead() ? " (read)" : message.isFollowUp() ? " (follow-up)" : "")
        + ": "
        + SafeText.text(message.text()).replace("\n", "\n    ");
  }

  /** Returns a message as an object. */
  public static Meta json(Message message) {
    return Meta.of("ref", "m" + message.number())
        .with("id", message.id())
        .with("short_id", message.shortId())
        .with("text", message.text())
        .with("timestamp", message.timestamp())
        .with("sent", Times.format(message.sent()))
        .with("by", message.by())
        .with("read", message.isRead())
        .with("follow_up", message.isFollowUp() ? true : null)
        .with("question", message.question());
  }
}
