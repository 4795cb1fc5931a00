package dev.ralph.core.internal.loop;

import dev.ralph.Inbox;
import dev.ralph.LoopEvent;
import dev.ralph.Message;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Tells the listeners of each message that is read while the loop runs. For one thread. */
final class MessageWatch {

  private static final System.Logger LOG = System.getLogger(MessageWatch.class.getPackageName());

  private final Inbox inbox;
  private final RunState state;
  private final Listeners events;

  /** How many messages were sent so far; negative until the loop has begun. */
  private int known = -1;

  /** The ids of those that were unread at the last look. */
  private Set<String> unread = Set.of();

  MessageWatch(Inbox inbox, RunState state, Listeners events) {
    this.inbox = inbox;
    this.state = state;
    this.events = events;
  }

  /**
   * Tells of what was read since the last look; the first look finds what was there before. What is
   * unread again, because its iteration failed, is told of again when it is read.
   *
   * @throws RalphException NOT_FOUND or CLOSED if the store is gone, as {@link QuestionWatch#look}
   */
  void look() {
    List<Message> all;
    Set<String> now = new LinkedHashSet<>();
    try {
      all = inbox.history();
      inbox.unread().forEach(message -> now.add(message.id()));
    } catch (NotFoundException | ClosedException e) {
      throw e;
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "messages could not be read", e);
      return;
    }
    if (known >= 0) {
      Set<String> gone = new LinkedHashSet<>(unread);
      all.subList(Math.min(known, all.size()), all.size()).forEach(each -> gone.add(each.id()));
      gone.removeAll(now);
      gone.forEach(this::tellIfRead);
    }
    known = all.size();
    unread = now;
  }

  private void tellIfRead(String id) {
    try {
      Message message = inbox.get(id);
      if (message.isRead()) {
        tell(message);
      }
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "a message could not be read; it may have been erased", e);
    }
  }

  private void tell(Message message) {
    events.emit(
        LoopEvent.Type.MESSAGE_READ,
        state.last(),
        "m" + message.number() + " has reached the agent",
        Meta.of("ref", "m" + message.number()).with("id", message.id()),
        head -> new LoopEvent.MessageRead(head, message));
  }
}
