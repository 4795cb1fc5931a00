package dev.ralph.core.internal.inbox;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import javax.annotation.Nullable;

/** One message as the fold keeps it: immutable, and put in place of the former one when read. */
final class MessageEntry implements Referable {

  private final String id;
  private final int number;
  final String text;
  final String timestamp;
  final Instant sent;
  @Nullable final String by;
  @Nullable final String key;
  final boolean read;

  MessageEntry(
      String id,
      int number,
      String text,
      String timestamp,
      Instant sent,
      @Nullable String by,
      @Nullable String key,
      boolean read) {
    this.id = id;
    this.number = number;
    this.text = text;
    this.timestamp = timestamp;
    this.sent = sent;
    this.by = by;
    this.key = key;
    this.read = read;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String title() {
    return text;
  }

  MessageEntry asRead() {
    return new MessageEntry(id, number, text, timestamp, sent, by, key, true);
  }
}
