package dev.ralph.core.internal.inbox;

import dev.ralph.Message;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.message.MessageEntry;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.Lease;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules for delivering messages to running agents: each message once to each agent, and to a
 * single reader of the agent.
 */
final class InboxDecider {

  /**
   * The maximum number of messages per delivery; every store accepts as many in a batch. The next
   * delivery contains the rest.
   */
  private static final int MOST_AT_ONCE = 50;

  /** The maximum number of characters per delivery. A longer message is delivered alone. */
  private static final int MOST_CHARACTERS = 20_000;

  private final Topic topic;
  private final MessageRules rules;

  InboxDecider(Topic topic, MessageRules rules) {
    this.topic = topic;
    this.rules = rules;
  }

  /**
   * Delivers messages with the reply to a call.
   *
   * @param prompted the first frame of the running iteration, or null; older messages are in the
   *     iteration's prompt
   * @param recipient the calling agent
   */
  Decision<Messages, List<AgentInbox.Delivery>> deliver(
      Messages messages,
      AgentInbox.Call call,
      Duration lease,
      @Nullable String prompted,
      MessageRecipient recipient,
      Instant now) {
    Lease.end(now, lease); // rejects an invalid length, even without messages
    List<Draft> drafts = new ArrayList<>();
    rules.expire(messages, now).ifPresent(drafts::add);
    List<Integer> shown = new ArrayList<>();
    List<Integer> kept = new ArrayList<>();
    long characters = 0;
    for (int index : messages.unread(now)) {
      MessageEntry message = messages.entry(index);
      if (isInHand(message, call)) {
        if (endsBefore(message, call, now.plus(lease.dividedBy(2))) && kept.size() < MOST_AT_ONCE) {
          kept.add(index);
        }
        continue;
      }
      if (message.isFollowUp()
          || message.isBefore(prompted)
          || !recipient.receives(message.agent())
          || message.isWithheldFrom(call.reader(), call.iteration(), now)) {
        continue;
      }
      characters += message.text().length();
      if (!shown.isEmpty() && (shown.size() == MOST_AT_ONCE || characters > MOST_CHARACTERS)) {
        break;
      }
      shown.add(index);
    }
    if (!shown.isEmpty()) {
      drafts.add(show(messages, shown, call, call.id(), lease, now));
    }
    if (!kept.isEmpty()) {
      drafts.add(show(messages, kept, call, null, lease, now));
    }
    List<AgentInbox.Delivery> deliveries =
        shown.stream()
            .map(
                index ->
                    new AgentInbox.Delivery(
                        messages.view(index), messages.entry(index).wasDelivered()))
            .toList();
    return drafts.isEmpty()
        ? Decision.nothing(deliveries)
        : Decision.append(drafts, (after, frames) -> deliveries);
  }

  private Draft show(
      Messages messages,
      List<Integer> indexes,
      AgentInbox.Call to,
      @Nullable String with,
      Duration lease,
      Instant now) {
    List<String> ids = indexes.stream().map(index -> messages.entry(index).id()).toList();
    return rules.deliver(ids, to.reader(), with, to.iteration(), lease, now);
  }

  /**
   * Returns whether the reader has surely received the message: the reader requested it, or it was
   * delivered with this call or with an answered call. The lease may have expired.
   */
  private static boolean isInHand(MessageEntry message, AgentInbox.Call call) {
    Lease lease = message.leaseOf(call.reader());
    List<String> calls = message.callsOf(call.reader());
    return lease != null
        && lease.isHeld()
        && (calls.isEmpty()
            || calls.contains(call.id())
            || calls.stream().anyMatch(call.answered()::contains));
  }

  private static boolean endsBefore(MessageEntry message, AgentInbox.Call call, Instant time) {
    Lease lease = message.leaseOf(call.reader());
    return lease != null && lease.until().isBefore(time);
  }

  /**
   * Leases the messages requested by a reader; see {@link
   * dev.ralph.core.internal.delivery.AgentInbox#take}.
   */
  Decision<Messages, List<Message>> take(
      Messages messages, AgentInbox.Call call, Duration lease, List<String> ids, Instant now) {
    Lease.end(now, lease); // rejects an invalid length, even without messages
    List<Integer> taken = new ArrayList<>();
    List<Integer> fresh = new ArrayList<>();
    for (String id : ids) {
      int index = messages.find(id);
      MessageEntry message = messages.entry(index);
      if (message.isUnread()
          && !message.isExpired(now)
          && !message.isWithheldFrom(call.reader(), call.iteration(), now)) {
        taken.add(index);
        if (!isInHand(message, call) || !message.isLeasedTo(call.reader(), now)) {
          fresh.add(index);
        }
      }
    }
    List<Message> views = taken.stream().map(messages::view).toList();
    return fresh.isEmpty()
        ? Decision.nothing(views)
        : Decision.append(
            List.of(show(messages, fresh, call, null, lease, now)), (after, frames) -> views);
  }

  /**
   * Ends the leases of an iteration's agents. If the replies to their calls may not have arrived,
   * messages marked as read in the iteration become unread again.
   *
   * @param heard whether the agents have surely received the replies
   */
  Decision<Messages, Boolean> endIteration(Messages messages, int iteration, boolean heard) {
    boolean holdsOne = messages.anyHeld(message -> message.isHeldIn(iteration));
    boolean unreadsOne = !heard && messages.anyHeard(message -> message.isReadForNow(iteration));
    return holdsOne || unreadsOne
        ? Decision.append(
            Draft.of(
                topic,
                Meta.of("action", "iteration_end")
                    .with("iteration", iteration)
                    .with("heard", heard)),
            after -> true)
        : Decision.nothing(false);
  }

  /**
   * Marks messages as read that a reader has surely received; see {@link
   * dev.ralph.core.internal.delivery.AgentInbox#acknowledge}.
   */
  Decision<Messages, Boolean> acknowledge(
      Messages messages, AgentInbox.Call call, List<String> ids, int agent, Instant now) {
    List<Draft> drafts = new ArrayList<>();
    for (String id : ids) {
      MessageEntry message = messages.entry(messages.find(id));
      if (message.isUnread() && !message.isWithheldFrom(call.reader(), call.iteration(), now)) {
        drafts.add(
            rules.readBy(agent, rules.markRead(message, call.reader(), call.iteration(), null)));
      }
    }
    return drafts.isEmpty()
        ? Decision.nothing(false)
        : Decision.append(drafts, (after, frames) -> true);
  }

  Decision<Messages, Boolean> release(Messages messages, String reader, Instant now) {
    return messages.anyHeld(message -> message.isLeasedTo(reader, now))
        ? Decision.append(
            Draft.of(topic, Meta.of("action", "release").with("to", reader)), after -> true)
        : Decision.nothing(false);
  }

  /**
   * Returns the unread messages that a running agent may see; see {@link #deliver}.
   *
   * @param iteration the reader's iteration, or 0
   */
  static List<Message> unreadBy(
      Messages messages,
      String reader,
      int iteration,
      @Nullable String prompted,
      MessageRecipient recipient,
      Instant now) {
    return messages.unread(now).stream()
        .filter(
            index -> {
              MessageEntry message = messages.entry(index);
              boolean heldBack =
                  message.isFollowUp() && prompted != null && !message.isBefore(prompted);
              return !heldBack
                  && recipient.receives(message.agent())
                  && !message.isWithheldFrom(reader, iteration, now);
            })
        .map(messages::view)
        .toList();
  }
}
