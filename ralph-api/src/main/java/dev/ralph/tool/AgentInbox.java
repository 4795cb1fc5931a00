package dev.ralph.tool;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.RalphException;
import java.time.Duration;
import java.util.List;

/**
 * Shows the messages of a session's {@link Inbox} to an agent at work. A message is leased to the
 * agent that it is shown to, so that only one of several agents on a session gets it. It counts as
 * read once that agent calls again.
 *
 * <p>{@link AgentTools} does all of this with each call of a tool. Use this only for an agent that
 * is shown messages in some other way.
 *
 * <p>Safe for use by many threads.
 */
public interface AgentInbox {

  /**
   * Takes the messages that an agent is to be shown with the reply to a tool call, and leases them
   * to it: the unread ones, but for those that stand in the prompt of the iteration that runs,
   * follow-ups, and what is leased to another agent. A message that this agent was shown by a call
   * already answered is marked as read instead. A message that was shown to an agent before, but
   * may not have arrived, comes again and is marked as such.
   *
   * <p>Nothing is written unless there is something to show or to mark.
   *
   * @param lease for how long others are not shown them: 1 ms to 30 days
   * @return the messages to show with the reply, oldest first
   * @throws RalphException INVALID if the lease is outside that range
   */
  List<Delivery> deliver(ToolCall call, Duration lease);

  /**
   * Leases messages to an agent that asks for them: no other agent is shown them meanwhile, and
   * this one is shown them only when it asks. They stay unread until they are marked as read.
   *
   * @param lease for how long: 1 ms to 30 days
   * @param ids of the messages
   * @return those that it may be shown: the unread ones that no other agent has
   * @throws RalphException INVALID if the lease is outside that range
   */
  List<Message> take(ToolCall call, Duration lease, List<String> ids);

  /**
   * Marks as read what the agent was shown by calls already answered, and shows nothing new.
   *
   * @param call the call that says that those before it were heard
   */
  void acknowledge(ToolCall call);

  /**
   * Waits until no unread message is leased to another reader in the call's iteration. An agent
   * that is shown messages in two ways has a reader for each, and what one of them shows counts as
   * read a moment after the agent acts on it.
   *
   * @param call the call that waits; one that belongs to no iteration returns at once
   * @param atMost how long to wait
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void awaitOthers(ToolCall call, Duration atMost) throws InterruptedException;

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
