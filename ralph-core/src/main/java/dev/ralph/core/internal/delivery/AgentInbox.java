package dev.ralph.core.internal.delivery;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.Session;
import dev.ralph.log.RalphException;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Delivers the messages of a session's {@link Inbox} to running agents. A delivered message is
 * leased to the reader. Therefore an agent gets each message once, and only one of several
 * independent agents gets the message. The agents of one loop, whose calls name different
 * iterations, each get the message. A message stays unread until it is marked as read or
 * {@linkplain #acknowledge acknowledged}.
 *
 * <p>{@link AgentTools} delivers messages with each tool call. Use this interface only for agents
 * that get messages in another way.
 *
 * <p>Safe for use by many threads.
 */
public interface AgentInbox {

  /** Returns the delivery of a session's messages. */
  static AgentInbox of(Session session) {
    return (AgentInbox) session.inbox();
  }

  /**
   * Returns the messages to show with the reply to a tool call, and leases them to the reader.
   *
   * <p>These are the unread messages except: messages of the running iteration's prompt,
   * follow-ups, messages to another agent of the loop, and messages leased to another reader. The
   * last exception does not apply if both readers belong to different iterations. A message that an
   * answered call of this reader has shown is not returned again; the lease is renewed in time. A
   * message that may not have arrived is returned again and marked as {@link Delivery#again}.
   *
   * <p>Writes nothing if there is no message to show and no lease to renew.
   *
   * @param lease the time during which other readers do not get the messages: 1 ms to 30 days
   * @return the messages to show with the reply, oldest first
   * @throws RalphException INVALID if the lease is out of range
   */
  List<Delivery> deliver(Call call, Duration lease);

  /**
   * Leases messages to an agent that requests them. During the lease no other agent gets the
   * messages, and this agent gets them only on request. They stay unread until they are marked as
   * read.
   *
   * @param lease the length of the lease: 1 ms to 30 days
   * @param ids the ids of the messages
   * @return the unread messages that are not leased to another agent
   * @throws RalphException INVALID if the lease is out of range
   */
  List<Message> take(Call call, Duration lease, List<String> ids);

  /**
   * Marks messages as read that the agent's model has certainly seen, for example because the model
   * has answered a request with the messages. If the call belongs to an iteration, the messages are
   * read once the iteration succeeds. Messages that are read or leased to another reader do not
   * change.
   *
   * @param call the call that proves the delivery
   * @param ids the ids of the messages
   * @throws RalphException NOT_FOUND if a message does not exist
   */
  void acknowledge(Call call, List<String> ids);

  /**
   * Waits until no unread message is leased to another reader of the call's iteration. An agent
   * that gets messages in two ways has two readers, and a message of one reader may be marked as
   * read shortly after the agent has acted on it.
   *
   * @param call the waiting call; returns at once if it belongs to no iteration
   * @param atMost the longest time to wait
   * @throws InterruptedException if the thread is interrupted while waiting
   */
  void awaitOthers(Call call, Duration atMost) throws InterruptedException;

  /** Ends the leases of an ended agent. Other agents then get the possibly unseen messages. */
  void release(String reader);

  /**
   * Returns the unread messages that a running agent may see, oldest first: without messages leased
   * to another agent, and without follow-ups sent since the running iteration began.
   *
   * @param reader the agent
   */
  List<Message> unreadBy(String reader);

  /**
   * A message delivered to a running agent.
   *
   * @param message the message
   * @param again whether an earlier delivery may not have reached an agent
   */
  record Delivery(Message message, boolean again) {}

  /**
   * A tool call of a running agent, whose reply can show messages. A later call of the same agent
   * does not prove that the model has seen them, because a model may call several tools at once.
   *
   * @param reader the unique name of this run of the agent
   * @param id the name of the call, unique for the reader
   * @param answered the calls of the reader whose replies were sent before this call began; their
   *     messages are not shown again
   * @param iteration the iteration of the reader, or 0 for none. Seen messages count as read only
   *     if the iteration succeeds
   */
  record Call(String reader, String id, Set<String> answered, int iteration) {

    /** Creates a call of an agent outside a loop. */
    public Call(String reader, String id, Set<String> answered) {
      this(reader, id, answered, 0);
    }

    /** Creates a call with a copy of the set of answered calls. */
    public Call {
      answered = Set.copyOf(answered);
    }

    /** Returns a copy of this call that belongs to an iteration; 0 for none. */
    public Call in(int number) {
      return number == iteration ? this : new Call(reader, id, answered, number);
    }
  }
}
