package dev.ralph.core.internal.inbox;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/** One message as the fold keeps it: immutable, and put in place of the former one when changed. */
final class MessageEntry implements Referable {

  /**
   * To whom a message was shown last.
   *
   * @param reader the agent
   * @param calls those of its calls that it was shown with
   * @param until when others may be shown it
   */
  record Shown(String reader, List<String> calls, Instant until) {

    /**
     * More calls than an agent makes at once; the oldest is forgotten, and the message repeated.
     */
    private static final int MOST_CALLS = 100;

    private Shown with(String call, Instant until) {
      List<String> all = new ArrayList<>(calls);
      all.add(call);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return new Shown(reader, List.copyOf(all.subList(from, all.size())), until);
    }

    private Shown released() {
      return new Shown(reader, calls, Instant.EPOCH);
    }
  }

  private final String id;
  private final int number;
  final String text;
  final String timestamp;
  final Instant sent;
  @Nullable final String by;
  @Nullable final String key;
  final boolean followUp;

  /** The id of the question that it answers. */
  @Nullable final String question;

  final boolean read;
  @Nullable final Shown shown;

  MessageEntry(
      String id,
      int number,
      String text,
      String timestamp,
      Instant sent,
      @Nullable String by,
      @Nullable String key,
      boolean followUp,
      @Nullable String question,
      boolean read,
      @Nullable Shown shown) {
    this.id = id;
    this.number = number;
    this.text = text;
    this.timestamp = timestamp;
    this.sent = sent;
    this.by = by;
    this.key = key;
    this.followUp = followUp;
    this.question = question;
    this.read = read;
    this.shown = shown;
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
    return with(true, null);
  }

  MessageEntry shownTo(String reader, String call, Instant until) {
    return with(
        read,
        shown != null && shown.reader().equals(reader)
            ? shown.with(call, until)
            : new Shown(reader, List.of(call), until));
  }

  /** Returns this message, no longer leased to that reader. */
  MessageEntry releasedBy(String reader) {
    return shown == null || !shown.reader().equals(reader) ? this : with(read, shown.released());
  }

  private MessageEntry with(boolean read, @Nullable Shown shown) {
    return new MessageEntry(
        id, number, text, timestamp, sent, by, key, followUp, question, read, shown);
  }

  /** Returns whether another reader is shown it, and not that one. */
  boolean isLeasedFrom(String reader, Instant now) {
    return shown != null && !shown.reader().equals(reader) && now.isBefore(shown.until());
  }

  /** Returns whether the id of the message's frame is lower than that one. */
  boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }
}
