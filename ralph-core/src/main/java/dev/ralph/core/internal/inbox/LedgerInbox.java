package dev.ralph.core.internal.inbox;

import dev.ralph.Inbox;
import dev.ralph.Message;
import dev.ralph.Topic;
import dev.ralph.TopicFilter;
import dev.ralph.core.internal.view.FoldLedger;
import dev.ralph.core.internal.view.Ledger;
import dev.ralph.core.internal.view.Log;
import java.util.List;
import javax.annotation.Nullable;

/** The messages of a session, as a state that is decided on. */
public final class LedgerInbox implements Inbox {

  private final Ledger<Messages> ledger;
  private final InboxDecider decider;
  private final Topic topic;

  /** Makes the inbox of present messages, or of past ones. */
  public LedgerInbox(Ledger<Messages> ledger, Topic topic) {
    this.ledger = ledger;
    this.decider = new InboxDecider(topic);
    this.topic = topic;
  }

  /** Returns the present messages of a topic. */
  public static FoldLedger<?, Messages> ledger(Log log, Topic topic) {
    return new FoldLedger<>(log, TopicFilter.of(topic), new InboxFold());
  }

  @Override
  public Message send(String text, @Nullable String by, @Nullable String key) {
    return ledger.decide(
        "sending a message to " + topic,
        (messages, now) -> decider.send(messages, text, by, key, now));
  }

  @Override
  public List<Message> unread() {
    return ledger.state().unread();
  }

  @Override
  public List<Message> history() {
    return ledger.state().list();
  }

  @Override
  public Message get(String ref) {
    return ledger.state().get(ref);
  }

  @Override
  public Message markRead(String ref) {
    return ledger.decide(
        "marking " + ref + " of " + topic + " as read",
        (messages, now) -> decider.markRead(messages, ref));
  }
}
