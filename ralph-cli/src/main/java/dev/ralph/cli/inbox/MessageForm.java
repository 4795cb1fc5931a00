package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.cli.call.Listing;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.log.Meta;

/** How a message is shown. */
public final class MessageForm {

  /** How messages are listed. */
  static final Listing<Message> LISTING =
      new Listing<>("inbox", "messages", MessageForm::json, MessageForm::line);

  private MessageForm() {}

  /** Returns a message as a line, or several where its text has several; a long one is cut. */
  public static String line(Message message, Style style) {
    return line(message, ListedText.of(message), style);
  }

  /** Returns a message as a line, or several, with all of its text. */
  static String wholeLine(Message message, Style style) {
    return line(message, ListedText.whole(message.text()), style);
  }

  private static String line(Message message, ListedText text, Style style) {
    String by = message.by();
    String headline = message.headline();
    return "m"
        + message.number()
        + " ["
        + message.shortId()
        + "] "
        + style.faint(Times.local(message.sent()))
        + (by == null ? "" : (message.isFromBox() ? " mail from " : " ") + SafeText.line(by))
        + (message.agent() == 0 ? "" : " (for agent " + message.agent() + ")")
        + (message.isRead()
            ? message.readBy() == 0 ? " (read)" : " (read by agent " + message.readBy() + ")"
            : message.isExpired() ? " (expired)" : message.isFollowUp() ? " (follow-up)" : "")
        + ": "
        + (headline == null ? "" : SafeText.line(headline) + ": ")
        + text.indented("inbox show m" + message.number());
  }

  /** Returns a message as an object; a long text is cut. */
  public static Meta json(Message message) {
    return json(message, ListedText.of(message));
  }

  /** Returns a message as an object, with all of its text. */
  static Meta whole(Message message) {
    return json(message, ListedText.whole(message.text()));
  }

  private static Meta json(Message message, ListedText text) {
    return text.in(
            Meta.of("ref", "m" + message.number())
                .with("id", message.id())
                .with("short_id", message.shortId()),
            "text")
        .with("timestamp", message.timestamp())
        .with("sent", Times.format(message.sent()))
        .with("by", message.by())
        .with("mail", message.isFromBox() ? true : null)
        .with("headline", message.headline())
        .with("agent", message.agent() == 0 ? null : message.agent())
        .with("read", message.isRead())
        .with("read_by", message.readBy() == 0 ? null : message.readBy())
        .with("expired", message.isExpired() ? true : null)
        .with("follow_up", message.isFollowUp() ? true : null)
        .with("question", message.question());
  }
}
