package dev.ralph.core.internal.message;

import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rules for sending, receiving and settling messages, and their frames. Immutable; safe for use
 * by many threads.
 */
public final class MessageRules {

  /**
   * The maximum number of messages in an expiry frame. The next change records further messages.
   */
  private static final int MOST_EXPIRED = 50;

  private final Topic topic;

  /** Creates the rules for the messages of a topic. */
  public MessageRules(Topic topic) {
    this.topic = topic;
  }

  // ---- sending

  /**
   * Sends a message. If the sender has used the key before, returns the message sent with the key.
   */
  public Decision<Messages, Message> send(Messages messages, NewMessage message, Instant now) {
    int before = findSent(messages, message);
    return before >= 0
        ? Decision.nothing(messages.view(before))
        : Decision.append(
            List.of(draft(messages, message, MailHeaders.EMPTY, null, null, now)),
            (after, frames) -> after.get(frames.get(0).id()));
  }

  /**
   * Returns the index of the message that the sender has sent with the same key, or -1.
   *
   * @throws RalphException INVALID if the message is invalid
   */
  public int findSent(Messages messages, NewMessage message) {
    if (message.text().isBlank()) {
      throw RalphException.invalid("a message needs a text");
    }
    String key = message.key();
    if (key == null) {
      return -1;
    }
    if (key.isBlank()) {
      throw RalphException.invalid("the key of a message must not be blank; omit the key for none");
    }
    return messages.findKey(key, message.by());
  }

  /**
   * Returns the frame of a new message.
   *
   * @param question the id of the answered question, or null
   * @param heldUntil the time until which only the waiting owner of the box receives the message,
   *     or null
   */
  public Draft draft(
      Messages messages,
      NewMessage message,
      MailHeaders envelope,
      @Nullable String question,
      @Nullable Instant heldUntil,
      Instant now) {
    Meta meta =
        Meta.of("status", "unread")
            .with("timestamp", Timestamp.of(now))
            .with("n", messages.highestNumber() + 1)
            .with("by", message.by())
            .with("key", message.key())
            .with("agent", message.agent() == 0 ? null : message.agent())
            .with("follow_up", message.isFollowUp() ? true : null)
            .with("question", question);
    Meta mail = envelope.addTo(meta);
    if (heldUntil != null && now.isBefore(heldUntil)) {
      mail = mail.with("owner", "asker").with("until", Timestamp.of(heldUntil));
    }
    return Draft.of(topic, KeptText.announce(mail, message.text()), message.text());
  }

  // ---- receiving

  /**
   * Returns the frame that records the first receipt from a box; empty if a receipt is recorded.
   */
  public Optional<Draft> attend(Messages messages, @Nullable String by) {
    return messages.isAttended()
        ? Optional.empty()
        : Optional.of(Draft.of(topic, Meta.of("action", "attend").with("by", by)));
  }

  /** Returns the frame that records expired messages; empty if none has expired. */
  public Optional<Draft> expire(Messages messages, Instant now) {
    List<String> ids =
        messages.expired(now).stream()
            .limit(MOST_EXPIRED)
            .map(index -> messages.entry(index).id())
            .toList();
    return ids.isEmpty()
        ? Optional.empty()
        : Optional.of(Draft.of(topic, Meta.of("action", "expire").with("ids", ids)));
  }

  /**
   * Returns the frame that delivers messages to a reader. Its id is the token of their lease.
   *
   * @param call the tool call whose reply contains the messages, or null if the reader requested
   *     them
   * @param iteration the iteration that ends the lease, or 0
   * @throws RalphException INVALID if the lease is shorter than 1 ms or longer than 30 days
   */
  public Draft deliver(
      List<String> ids,
      String reader,
      @Nullable String call,
      int iteration,
      Duration lease,
      Instant now) {
    return Draft.of(
        topic,
        Meta.of("action", "deliver")
            .with("ids", ids)
            .with("to", reader)
            .with("call", call)
            .with("until", Timestamp.of(Lease.end(now, lease)))
            .with("iteration", iteration == 0 ? null : iteration));
  }

  /** Returns the frame that renews the lease of a message. */
  public Draft renew(MessageEntry message, String token, Duration lease, Instant now) {
    return Draft.of(
        topic,
        Meta.of("action", "renew")
            .with("id", message.id())
            .with("claim", token)
            .with("until", Timestamp.of(Lease.end(now, lease))));
  }

  /** Returns the frame that releases a message. */
  public Draft release(MessageEntry message, String token) {
    return Draft.of(
        topic, Meta.of("action", "release").with("id", message.id()).with("claim", token));
  }

  // ---- settling

  /**
   * Marks a message as read, regardless of leases.
   *
   * @param agent the number of the agent that read the message, or 0
   */
  public Decision<Messages, Message> markRead(
      Messages messages, String ref, @Nullable String by, int agent) {
    int index = messages.find(ref);
    MessageEntry message = messages.entry(index);
    return message.isUnread() || message.isReadForNow()
        ? Decision.append(readBy(agent, markRead(message, by, 0, null)), after -> after.view(index))
        : Decision.nothing(messages.view(index));
  }

  /** Returns a frame of {@link #markRead} with the number of the reading agent. */
  public Draft readBy(int agent, Draft marked) {
    return agent == 0
        ? marked
        : Draft.of(topic, marked.meta().with("agent", agent), marked.content());
  }

  /**
   * Returns the frame that marks a message as read.
   *
   * @param heardIn the iteration whose success the mark requires, or 0
   * @param token the token of the reader's lease, or null
   */
  public Draft markRead(
      MessageEntry message, @Nullable String by, int heardIn, @Nullable String token) {
    return Draft.of(
        topic,
        Meta.of("action", "mark_read")
            .with("id", message.id())
            .with("by", by)
            .with("iteration", heardIn == 0 ? null : heardIn)
            .with("claim", token));
  }
}
