package dev.ralph.core.internal.inbox;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An inbox whose changes are decided on the session's frames. */
public final class LedgerInbox implements Inbox, AgentInbox {

  private final Ledger<Messages> ledger;
  private final MessageRules rules;
  private final InboxDecider decider;
  private final Topic topic;
  private final Clock clock;
  private final IntFunction<Optional<String>> prompted;
  private final Consumer<String> afterSend;
  private final Supplier<MessageRecipient> recipient;

  /**
   * Creates an inbox of present or past messages.
   *
   * @param prompted returns the id of the first frame of the running iteration, if any; of several,
   *     the iteration with the given number, or else the newest. Older messages are in its prompt.
   *     Called only if there are unread messages
   * @param afterSend called with the text of each new message after the message was appended
   * @param recipient returns the agent that uses the inbox, or {@link MessageRecipient#ANY}
   */
  public LedgerInbox(
      Ledger<Messages> ledger,
      Topic topic,
      Clock clock,
      IntFunction<Optional<String>> prompted,
      Consumer<String> afterSend,
      Supplier<MessageRecipient> recipient) {
    this.ledger = ledger;
    this.rules = new MessageRules(topic);
    this.decider = new InboxDecider(topic, rules);
    this.topic = topic;
    this.clock = clock;
    this.prompted = prompted;
    this.afterSend = afterSend;
    this.recipient = recipient;
  }

  @Override
  public Message send(NewMessage message) {
    Objects.requireNonNull(message, "message");
    String key = message.key();
    boolean isRepeated = key != null && ledger.state().findKey(key, message.by()) >= 0;
    Message sent =
        ledger.decide(
            "sending a message to " + topic, (messages, now) -> rules.send(messages, message, now));
    if (!isRepeated) {
      afterSend.accept(message.text());
    }
    return sent;
  }

  @Override
  public List<Message> unread() {
    Messages messages = ledger.state();
    List<Integer> unread = messages.unread(clock.instant());
    if (!unread.isEmpty()) {
      MessageRecipient reader = recipient.get();
      unread.removeIf(index -> !reader.receives(messages.entry(index).agent()));
    }
    return messages.views(unread);
  }

  @Override
  public List<Message> history() {
    return ledger.state().list();
  }

  @Override
  public Message get(String ref) {
    Objects.requireNonNull(ref, "ref");
    return ledger.state().get(ref);
  }

  @Override
  public Message markRead(String ref, @Nullable String by) {
    Objects.requireNonNull(ref, "ref");
    return ledger.decide(
        "marking " + ref + " of " + topic + " as read",
        (messages, now) -> rules.markRead(messages, ref, by, recipient.get().agent()));
  }

  @Override
  public List<AgentInbox.Delivery> deliver(AgentInbox.Call call, Duration lease) {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(lease, "lease");
    return ledger.decide(
        "showing the messages of " + topic + " to " + call.reader(),
        (messages, now) ->
            decider.deliver(
                messages,
                call,
                lease,
                prompted(messages, call.iteration()),
                messages.unreadCount() == 0 ? MessageRecipient.ANY : recipient.get(),
                now));
  }

  @Override
  public List<Message> take(AgentInbox.Call call, Duration lease, List<String> ids) {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(ids, "ids");
    return ledger.decide(
        "leasing messages of " + topic + " to " + call.reader(),
        (messages, now) -> decider.take(messages, call, lease, ids, now));
  }

  /**
   * Ends the leases of an iteration's agents.
   *
   * @param heard whether the agents have surely received the replies to their calls
   */
  public void endIteration(int iteration, boolean heard) {
    if (decider.endIteration(ledger.state(), iteration, heard).drafts().isEmpty()) {
      return;
    }
    ledger.decide(
        "ending the leases of iteration " + iteration + " on " + topic,
        (messages, now) -> decider.endIteration(messages, iteration, heard));
  }

  @Override
  public void acknowledge(AgentInbox.Call call, List<String> ids) {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(ids, "ids");
    ledger.decide(
        "marking the messages of " + topic + " that " + call.reader() + " has seen as read",
        (messages, now) -> decider.acknowledge(messages, call, ids, recipient.get().agent(), now));
  }

  @Override
  public void awaitOthers(AgentInbox.Call call, Duration atMost) throws InterruptedException {
    Objects.requireNonNull(call, "call");
    if (call.iteration() > 0) {
      ledger.await(
          messages -> {
            Instant now = clock.instant();
            return !messages.anyHeld(
                message -> message.isHeldBeside(call.reader(), call.iteration(), now));
          },
          atMost);
    }
  }

  @Override
  public void release(String reader) {
    Objects.requireNonNull(reader, "reader");
    ledger.decide(
        "ending the leases of " + reader + " on " + topic,
        (messages, now) -> decider.release(messages, reader, now));
  }

  @Override
  public List<Message> unreadBy(String reader) {
    Objects.requireNonNull(reader, "reader");
    Messages messages = ledger.state();
    if (messages.unreadCount() == 0) {
      return List.of();
    }
    MessageRecipient agent = recipient.get();
    return InboxDecider.unreadBy(
        messages,
        reader,
        agent.iteration(),
        prompted(messages, agent.iteration()),
        agent,
        clock.instant());
  }

  /**
   * Returns the first frame of the running iteration, or null. At worst, a stale value delivers a
   * message twice, so decisions are not conditional on it.
   */
  private @Nullable String prompted(Messages messages, int iteration) {
    return messages.unreadCount() == 0 ? null : prompted.apply(iteration).orElse(null);
  }
}
