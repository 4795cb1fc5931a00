package dev.ralph.core.internal.inbox;

import dev.ralph.core.internal.reference.Referable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * One message as the fold keeps it: put in place of the former one when changed.
 *
 * @param timestamp when it was sent, as the frame gives it
 * @param question the id of the question that it answers, or null
 * @param lease to whom it was shown last, or null; nobody once it is read
 */
record MessageEntry(
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
    @Nullable Lease lease)
    implements Referable {

  /**
   * An agent that was shown a message.
   *
   * @param reader the agent
   * @param calls those of its calls that it was shown with
   * @param until when others may be shown it
   */
  record Lease(String reader, List<String> calls, Instant until) {

    /**
     * More calls than an agent makes at once; the oldest is forgotten, and the message repeated.
     */
    private static final int MOST_CALLS = 100;

    private Lease with(String call, Instant until) {
      List<String> all = new ArrayList<>(calls);
      all.add(call);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return new Lease(reader, List.copyOf(all.subList(from, all.size())), until);
    }
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
        lease != null && lease.reader().equals(reader)
            ? lease.with(call, until)
            : new Lease(reader, List.of(call), until));
  }

  /** Returns this message, no longer leased to that reader. */
  MessageEntry releasedBy(String reader) {
    return lease == null || !lease.reader().equals(reader)
        ? this
        : with(read, new Lease(reader, lease.calls(), Instant.EPOCH));
  }

  private MessageEntry with(boolean read, @Nullable Lease lease) {
    return new MessageEntry(
        id, number, text, timestamp, sent, by, key, followUp, question, read, lease);
  }

  /** Returns whether that reader is shown it, and no other may be. */
  boolean isLeasedTo(String reader, Instant now) {
    return lease != null && lease.reader().equals(reader) && now.isBefore(lease.until());
  }

  /** Returns whether another reader is shown it, and that one may not be. */
  boolean isLeasedFrom(String reader, Instant now) {
    return lease != null && !lease.reader().equals(reader) && now.isBefore(lease.until());
  }

  /** Returns whether the id of the message's frame is lower than that one. */
  boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }
}
