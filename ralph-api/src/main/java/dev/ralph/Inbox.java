package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages to the agents of a session. Each prompt contains the unread messages until they are
 * marked as read. A running agent gets newer messages with the replies to its tool calls. Each
 * message is leased to the agent, so only one of several independent agents gets the message.
 *
 * <p>A reference to a message is its number ({@code m3}), its id, or the beginning of its id (8
 * characters or more). Methods with a reference throw {@link NotFoundException} if no object
 * matches, and {@link AmbiguousException} if several match; its message names them.
 */
public interface Inbox {

  /** Sends a message of any length. */
  default Message send(String text) {
    return send(text, null, null);
  }

  /**
   * Sends a message, at most once for a key.
   *
   * @param by the sender, or null
   * @param key the idempotency key, or null. If the same sender has sent a message with the key
   *     before, the earlier message is returned and nothing is sent
   * @throws RalphException INVALID if the text or the key is blank
   */
  default Message send(String text, @Nullable String by, @Nullable String key) {
    return send(NewMessage.of(text).by(by).key(key));
  }

  /**
   * Sends a message.
   *
   * @return the new message, or the earlier message of the same sender and key
   * @throws RalphException INVALID if the text is blank
   */
  Message send(NewMessage message);

  /** Returns the unread messages, oldest first. */
  List<Message> unread();

  /** Returns all messages, oldest first. */
  List<Message> history();

  /** Returns the message with a reference. */
  Message get(String ref);

  /** Marks a message as read. Does nothing if the message is read. */
  default Message markRead(String ref) {
    return markRead(ref, null);
  }

  /**
   * Marks a message as read. Does nothing if the message is read.
   *
   * @param by the reader, or null
   */
  Message markRead(String ref, @Nullable String by);
}
