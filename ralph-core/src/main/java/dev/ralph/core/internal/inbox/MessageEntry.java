package dev.ralph.core.internal.inbox;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import javax.annotation.Nullable;

/**
 * One message as the fold keeps it: put in place of the former one when read.
 *
 * @param timestamp when it was sent, as the frame gives it
 */
record MessageEntry(
    String id,
    int number,
    String text,
    String timestamp,
    Instant sent,
    @Nullable String by,
    @Nullable String key,
    boolean read)
    implements Referable {

  @Override
  public String title() {
    return text;
  }

  MessageEntry asRead() {
    return new MessageEntry(id, number, text, timestamp, sent, by, key, true);
  }
}
