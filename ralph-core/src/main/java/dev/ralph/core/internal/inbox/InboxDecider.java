package dev.ralph.core.internal.inbox;

import dev.ralph.Draft;
import dev.ralph.Message;
import dev.ralph.Meta;
import dev.ralph.RalphException;
import dev.ralph.Topic;
import dev.ralph.core.internal.view.Decision;
import dev.ralph.core.internal.view.Timestamp;
import java.time.Instant;
import java.util.List;
import javax.annotation.Nullable;

/** The rules for sending messages and marking them as read. */
final class InboxDecider {

  private final Topic topic;

  InboxDecider(Topic topic) {
    this.topic = topic;
  }

  Decision<Messages, Message> send(
      Messages messages, String text, @Nullable String by, @Nullable String key, Instant now) {
    if (text.isBlank()) {
      throw RalphException.invalid("a message needs a text");
    }
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
    Meta meta =
        Meta.of("status", "unread")
            .with("timestamp", Timestamp.of(now))
            .with("n", messages.highestNumber() + 1)
            .with("by", by)
            .with("key", key);
    return Decision.append(
        List.of(Draft.of(topic, meta, text)), (after, frames) -> after.get(frames.get(0).id()));
  }

  Decision<Messages, Message> markRead(Messages messages, String ref) {
    int index = messages.find(ref);
    MessageEntry message = messages.entry(index);
    if (message.read()) {
      return Decision.nothing(messages.view(index));
    }
    Meta meta = Meta.of("action", "mark_read").with("id", message.id());
    return Decision.append(Draft.of(topic, meta), after -> after.view(index));
  }
}
