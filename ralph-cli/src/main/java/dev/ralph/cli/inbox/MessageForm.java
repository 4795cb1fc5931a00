package dev.ralph.cli.inbox;

import dev.ralph.Message;
import dev.ralph.cli.call.ListOutput;
import dev.ralph.cli.terminal.Style;
import dev.ralph.cli.text.ListedText;
import dev.ralph.cli.text.SafeText;
import dev.ralph.cli.text.Times;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.log.Meta;

/** Renders messages as text and JSON. */
public final class MessageForm {

  /** The listing of messages. */
  static final ListOutput<Message> LISTING =
      new ListOutput<>("inbox", "messages", MessageForm::json, MessageForm::line);

  private MessageForm() {}

  /**
   * Returns a message as text, with further lines for a text of several lines. A long text is cut.
   */
  public static String line(Message message, Style style) {
    return line(message, ListedText.of(message), style);
  }

  /** Returns a message as text, with the whole text. */
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

  /** Returns a message as a JSON object. A long text is cut. */
  public static Meta json(Message message) {
    return SessionJson.message(message, JsonProfile.LISTED);
  }

  /** Returns a message as a JSON object, with the whole text. */
  static Meta whole(Message message) {
    return SessionJson.message(message, JsonProfile.FULL);
  }
}
