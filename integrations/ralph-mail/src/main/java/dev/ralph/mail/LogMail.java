package dev.ralph.mail;

import dev.ralph.Message;
import dev.ralph.core.internal.message.MailHeaders;
import dev.ralph.core.internal.message.MessageEntry;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Priority;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A mail of a box in the log. */
final class LogMail implements Mail {

  private final String box;
  private final Message message;
  private final MessageEntry entry;
  private final MailHeaders envelope;
  private final Instant now;

  LogMail(String box, Messages messages, int index, Instant now) {
    this.box = box;
    this.message = messages.view(index);
    this.entry = messages.entry(index);
    this.envelope = entry.envelope();
    this.now = now;
  }

  @Override
  public String id() {
    return message.id();
  }

  @Override
  public String ref() {
    return "m" + message.number();
  }

  @Override
  public String box() {
    return box;
  }

  @Override
  public @Nullable String from() {
    return message.by();
  }

  @Override
  public List<String> to() {
    return envelope.to().isEmpty() ? List.of(box) : envelope.to();
  }

  @Override
  public String commonId() {
    String common = envelope.mail();
    return common == null ? id() : common;
  }

  @Override
  public @Nullable String type() {
    return envelope.type();
  }

  @Override
  public @Nullable String replyTo() {
    return envelope.replyTo();
  }

  @Override
  public @Nullable String headline() {
    return envelope.headline();
  }

  @Override
  public Priority priority() {
    return envelope.priority();
  }

  @Override
  public List<String> tags() {
    return envelope.tags();
  }

  @Override
  public @Nullable Instant deadline() {
    return envelope.deadline();
  }

  @Override
  public @Nullable Instant awaitedUntil() {
    return envelope.awaitedUntil();
  }

  @Override
  public String text() {
    return message.text();
  }

  @Override
  public String beginning(int characters) {
    return message.beginning(characters);
  }

  @Override
  public int length() {
    return message.length();
  }

  @Override
  public Instant sent() {
    return message.sent();
  }

  @Override
  public State state() {
    if (entry.isRead()) {
      return State.READ;
    } else if (entry.isExpired(now)) {
      return State.EXPIRED;
    }
    return entry.isLeased(now) ? State.RECEIVED : State.WAITING;
  }

  @Override
  public @Nullable Instant heldUntil() {
    Lease lease = entry.lease();
    return lease != null && entry.isLeased(now) ? lease.until() : null;
  }

  @Override
  public String toString() {
    return box + "/" + message;
  }
}
