package dev.ralph;

import dev.ralph.log.AmbiguousException;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages to the agent that works on a session. An unread message stands in every prompt until it
 * is marked as read.
 *
 * <p>An agent at work is shown what was sent since its prompt was made with the replies to its tool
 * calls: see {@link AgentInbox}.
 *
 * <p>A reference to a message is its number ({@code m3}), its id, or the beginning of its id (8
 * characters or more). A method given a reference throws {@link NotFoundException} or {@link
 * AmbiguousException}, the message naming the candidates.
 */
public interface Inbox {

  /** Sends a message of any length. */
  default Message send(String text) {
    return send(text, null, null);
  }

  /**
   * Sends a message, once.
   *
   * @param by who sends it
   * @param key if not null and the same sender sent a message under it before, that one is returned
   *     and nothing is sent
   * @throws RalphException INVALID if the text or the key is blank
   */
  default Message send(String text, @Nullable String by, @Nullable String key) {
    return send(NewMessage.of(text).by(by).key(key));
  }

  /**
   * Sends a message.
   *
   * @return the new message, or the one that its sender sent under the same key before
   * @throws RalphException INVALID if the text is blank
   */
  Message send(NewMessage message);

  /** Returns the messages not yet marked as read, oldest first. */
  List<Message> unread();

  /** Returns all messages, oldest first. */
  List<Message> history();

  /** Returns the message referred to. */
  Message get(String ref);

  /** Marks a message as read; does nothing if it is read already. */
  default Message markRead(String ref) {
    return markRead(ref, null);
  }

  /**
   * Marks a message as read; does nothing if it is read already.
   *
   * @param by who has read it, or null
   */
  Message markRead(String ref, @Nullable String by);
}
