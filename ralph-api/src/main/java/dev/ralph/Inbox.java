package dev.ralph;

import dev.ralph.tool.Delivery;
import dev.ralph.tool.ToolCall;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Messages to the agent that works on a session. An unread message stands in every prompt until it
 * is marked as read.
 *
 * <p>An agent at work is shown what was sent since its prompt was made with the replies to its tool
 * calls: see {@link #deliver}. A message is leased to the agent that is shown it, so that of
 * several agents on one session one gets it, and counts as read once that agent calls again.
 *
 * <p>A reference to a message is its number ({@code m3}), its id, or the beginning of its id (8
 * characters or more). A method given a reference throws NOT_FOUND or AMBIGUOUS, the message naming
 * the candidates.
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
   * @param key if not null and a message was sent under the same key before, that one is returned
   *     and nothing is sent
   * @throws RalphException INVALID if the text or the key is blank
   */
  default Message send(String text, @Nullable String by, @Nullable String key) {
    return send(NewMessage.of(text).by(by).key(key));
  }

  /**
   * Sends a message.
   *
   * @return the new message, or the one that was sent under the same key before
   * @throws RalphException INVALID if the text is blank
   */
  Message send(NewMessage message);

  /** Returns the messages not yet marked as read, oldest first. */
  List<Message> unread();

  /** Returns all messages, oldest first. */
  List<Message> history();

  /** Returns the message referred to. */
  Message get(String ref);

  /** Marks a message as read; again does nothing. */
  default Message markRead(String ref) {
    return markRead(ref, null);
  }

  /**
   * Marks a message as read; again does nothing.
   *
   * @param by who has read it, or null
   */
  Message markRead(String ref, @Nullable String by);

  // ---- for an agent at work

  /**
   * Takes the messages that an agent is to be shown with the reply to a tool call, and leases them
   * to it: the unread ones, but for those that stand in the prompt of the iteration that runs,
   * follow-ups, and what is leased to another agent. A message that this agent was shown by a call
   * already answered is marked as read instead. One that it, or another agent, was shown without
   * anybody knowing whether it arrived comes again, marked so.
   *
   * <p>Nothing is written unless there is something to show or to mark.
   *
   * @param lease for how long others are not shown them: 1 ms to 30 days
   * @return the messages to show with the reply, oldest first
   * @throws RalphException INVALID if the lease is not as said above
   */
  List<Delivery> deliver(ToolCall call, Duration lease);

  /**
   * Leases messages to an agent that asks for them: no other is shown them meanwhile, and it is not
   * shown them unasked. They stay unread until they are marked as read.
   *
   * @param lease for how long: 1 ms to 30 days
   * @param ids of the messages
   * @return those that it may be shown: the unread ones that no other agent has
   * @throws RalphException INVALID if the lease is not as said above
   */
  List<Message> take(ToolCall call, Duration lease, List<String> ids);

  /**
   * Marks as read what the agent was shown by calls already answered, and shows nothing new.
   *
   * @param call the call that says that those before it were heard
   */
  void acknowledge(ToolCall call);

  /**
   * Ends the leases of an agent that has ended, so that others are shown what it may not have seen.
   */
  void release(String reader);

  /**
   * Returns the unread messages that an agent at work may see, oldest first: not those leased to
   * another one, and no follow-up that was sent since the iteration that runs began.
   *
   * @param reader the agent
   */
  List<Message> unreadBy(String reader);
}
