package dev.ralph.core.internal.inbox;

import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.RalphException;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.Topic;
import dev.ralph.tool.Delivery;
import dev.ralph.tool.ToolCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for sending messages, showing them to agents, and marking them as read. */
public final class InboxDecider {

  /** What an agent takes in at once, and every store in one batch. The rest comes with the next. */
  private static final int MOST_AT_ONCE = 50;

  /** Messages with more characters than that are shown one at a time. */
  private static final int MOST_CHARACTERS = 20_000;

  private final Topic topic;

  /** Makes the rules for the messages of a topic. */
  public InboxDecider(Topic topic) {
    this.topic = topic;
  }

  Decision<Messages, Message> send(Messages messages, NewMessage message, Instant now) {
    if (message.text().isBlank()) {
      throw RalphException.invalid("a message needs a text");
    }
    String key = message.key();
    if (key != null) {
      if (key.isBlank()) {
        throw RalphException.invalid(
            "the key of a message must not be blank; leave it out for none");
      }
      int sent = messages.findKey(key);
      if (sent >= 0) {
        return Decision.nothing(messages.view(sent));
      }
    }
    return Decision.append(
        List.of(draft(messages, message, null, now)),
        (after, frames) -> after.get(frames.get(0).id()));
  }

  /**
   * Returns the frame that sends a message.
   *
   * @param question the id of the question that it answers, or null
   */
  public Draft draft(
      Messages messages, NewMessage message, @Nullable String question, Instant now) {
    Meta meta =
        Meta.of("status", "unread")
            .with("timestamp", Timestamp.of(now))
            .with("n", messages.highestNumber() + 1)
            .with("by", message.by())
            .with("key", message.key())
            .with("follow_up", message.isFollowUp() ? true : null)
            .with("question", question);
    return Draft.of(topic, KeptText.announce(meta, message.text()), message.text());
  }

  Decision<Messages, Message> markRead(Messages messages, String ref, @Nullable String by) {
    int index = messages.find(ref);
    MessageEntry message = messages.entry(index);
    return message.read() && message.heardIn() == 0
        ? Decision.nothing(messages.view(index))
        : Decision.append(markRead(message, by, 0), after -> after.view(index));
  }

  private Draft markRead(MessageEntry message, @Nullable String by, int heardIn) {
    return Draft.of(
        topic,
        Meta.of("action", "mark_read")
            .with("id", message.id())
            .with("by", by)
            .with("iteration", heardIn == 0 ? null : heardIn));
  }

  /**
   * Shows messages with the reply to a call.
   *
   * @param prompted the first frame of the iteration that runs, or null: what came before it stands
   *     in that iteration's prompt
   */
  Decision<Messages, List<Delivery>> deliver(
      Messages messages, ToolCall call, Duration lease, @Nullable String prompted, Instant now) {
    Instant until = Lease.end(now, lease);
    List<Draft> drafts = new ArrayList<>(acknowledgements(messages, call));
    List<Integer> shown = new ArrayList<>();
    long characters = 0;
    for (int index : messages.unreadIndexes()) {
      MessageEntry message = messages.entry(index);
      boolean elsewhere =
          message.followUp()
              || message.isBefore(prompted)
              || message.isLeasedFrom(call.reader(), now)
              || isInHand(message, call, now);
      if (elsewhere || isAcknowledged(message, call)) {
        continue;
      }
      characters += message.text().length();
      if (!shown.isEmpty() && (shown.size() == MOST_AT_ONCE || characters > MOST_CHARACTERS)) {
        break;
      }
      shown.add(index);
    }
    if (!shown.isEmpty()) {
      drafts.add(show(messages, shown, call, call.id(), until));
    }
    List<Delivery> deliveries =
        shown.stream()
            .map(index -> new Delivery(messages.view(index), messages.entry(index).lease() != null))
            .toList();
    return drafts.isEmpty()
        ? Decision.nothing(deliveries)
        : Decision.append(drafts, (after, frames) -> deliveries);
  }

  private Draft show(
      Messages messages, List<Integer> indexes, ToolCall to, @Nullable String with, Instant until) {
    return Draft.of(
        topic,
        Meta.of("action", "deliver")
            .with("ids", indexes.stream().map(index -> messages.entry(index).id()).toList())
            .with("to", to.reader())
            .with("call", with)
            .with("until", Timestamp.of(until))
            .with("iteration", to.iteration() == 0 ? null : to.iteration()));
  }

  /** Returns whether the reader has just asked for the message, or was shown it with this call. */
  private static boolean isInHand(MessageEntry message, ToolCall call, Instant now) {
    MessageEntry.Lease lease = message.lease();
    return lease != null
        && message.isLeasedTo(call.reader(), now)
        && (lease.calls().isEmpty() || lease.calls().contains(call.id()));
  }

  /** Leases messages that a reader asks for; see {@link dev.ralph.tool.AgentInbox#take}. */
  Decision<Messages, List<Message>> take(
      Messages messages, ToolCall call, Duration lease, List<String> ids, Instant now) {
    Instant until = Lease.end(now, lease);
    List<Integer> taken = new ArrayList<>();
    List<Integer> fresh = new ArrayList<>();
    for (String id : ids) {
      int index = messages.find(id);
      MessageEntry message = messages.entry(index);
      if (!message.read() && !message.isLeasedFrom(call.reader(), now)) {
        taken.add(index);
        if (!isInHand(message, call, now)) {
          fresh.add(index);
        }
      }
    }
    List<Message> views = taken.stream().map(messages::view).toList();
    return fresh.isEmpty()
        ? Decision.nothing(views)
        : Decision.append(
            List.of(show(messages, fresh, call, null, until)), (after, frames) -> views);
  }

  /**
   * Ends what the agents of an iteration hold, and what counts as read only because one of them
   * called again.
   *
   * @param heard whether they have surely seen the replies to their calls
   */
  Decision<Messages, Boolean> endIteration(Messages messages, int iteration, boolean heard) {
    return messages.any(message -> message.iterationEnded(iteration, heard) != message)
        ? Decision.append(
            Draft.of(
                topic,
                Meta.of("action", "iteration_end")
                    .with("iteration", iteration)
                    .with("heard", heard)),
            after -> true)
        : Decision.nothing(false);
  }

  Decision<Messages, Boolean> acknowledge(Messages messages, ToolCall call) {
    List<Draft> drafts = acknowledgements(messages, call);
    return drafts.isEmpty()
        ? Decision.nothing(false)
        : Decision.append(drafts, (after, frames) -> true);
  }

  private List<Draft> acknowledgements(Messages messages, ToolCall call) {
    List<Draft> drafts = new ArrayList<>();
    for (int index : messages.unreadIndexes()) {
      MessageEntry message = messages.entry(index);
      if (isAcknowledged(message, call) && drafts.size() < MOST_AT_ONCE) {
        drafts.add(markRead(message, call.reader(), call.iteration()));
      }
    }
    return drafts;
  }

  /** Returns whether the call shows that its reader has seen the message. */
  private static boolean isAcknowledged(MessageEntry message, ToolCall call) {
    MessageEntry.Lease lease = message.lease();
    return lease != null
        && lease.reader().equals(call.reader())
        && lease.calls().stream().anyMatch(call.answered()::contains);
  }

  Decision<Messages, Boolean> release(Messages messages, String reader, Instant now) {
    boolean holdsOne =
        messages.unreadIndexes().stream()
            .map(messages::entry)
            .anyMatch(message -> message.isLeasedTo(reader, now));
    return holdsOne
        ? Decision.append(
            Draft.of(topic, Meta.of("action", "release").with("to", reader)), after -> true)
        : Decision.nothing(false);
  }

  /** Returns the unread messages that an agent at work may see; see {@link #deliver}. */
  static List<Message> unreadBy(
      Messages messages, String reader, @Nullable String prompted, Instant now) {
    return messages.unreadIndexes().stream()
        .filter(
            index -> {
              MessageEntry message = messages.entry(index);
              boolean heldBack =
                  message.followUp() && prompted != null && !message.isBefore(prompted);
              return !heldBack && !message.isLeasedFrom(reader, now);
            })
        .map(messages::view)
        .toList();
  }
}
