package dev.ralph.core.internal.inbox;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Numbered;
import dev.ralph.tool.ToolCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message as the fold keeps it: put in place of the former one when changed.
 *
 * @param timestamp when it was sent, as the frame gives it
 * @param question the id of the question that it answers, or null
 * @param heardIn the iteration in which an agent's next call said that it has seen the message,
 *     which counts if the iteration succeeds; 0 if it was not read so
 * @param lease to whom it was shown last, or null; nobody once it is read
 */
record MessageEntry(
    String id,
    int number,
    KeptText text,
    String timestamp,
    Instant sent,
    @Nullable String by,
    @Nullable String key,
    boolean followUp,
    @Nullable String question,
    boolean read,
    int heardIn,
    @Nullable Lease lease)
    implements Numbered {

  /**
   * An agent that was shown a message.
   *
   * @param reader the agent
   * @param calls those of its calls that it was shown with unasked; none if it asked for it
   * @param until when others may be shown it
   * @param iteration the iteration that the agent's work ends with, or 0
   */
  record Lease(String reader, List<String> calls, Instant until, int iteration) {

    /** Nobody's, of a message that somebody was shown. */
    private static final Lease ENDED = new Lease("", List.of(), Instant.EPOCH, 0);

    /**
     * More calls than an agent makes at once; the oldest is forgotten, and the message repeated.
     */
    private static final int MOST_CALLS = 100;

    private Lease with(List<String> more, Instant until, int iteration) {
      List<String> all = new ArrayList<>(calls);
      all.addAll(more);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return new Lease(reader, List.copyOf(all.subList(from, all.size())), until, iteration);
    }
  }

  @Override
  public String title() {
    return text.beginning();
  }

  /**
   * Returns this message as read.
   *
   * @param heardIn the iteration whose success that depends on, or 0
   */
  MessageEntry asRead(int heardIn) {
    return with(true, heardIn, null);
  }

  /**
   * Returns this message as shown to a reader.
   *
   * @param call the call that it was shown with, or null if the reader asked for it
   */
  MessageEntry shownTo(String reader, @Nullable String call, Instant until, int iteration) {
    List<String> calls = call == null ? List.of() : List.of(call);
    return with(
        read,
        heardIn,
        lease != null && lease.reader().equals(reader)
            ? lease.with(calls, until, iteration)
            : new Lease(reader, calls, until, iteration));
  }

  /** Returns this message after the end of an iteration: whether its agent has heard all or not. */
  MessageEntry iterationEnded(int iteration, boolean heard) {
    if (read) {
      return heardIn == iteration && !heard ? with(false, 0, Lease.ENDED) : this;
    }
    return lease != null && lease.iteration() == iteration ? releasedBy(lease.reader()) : this;
  }

  /** Returns this message, no longer leased to that reader. */
  MessageEntry releasedBy(String reader) {
    return lease == null || !lease.reader().equals(reader)
        ? this
        : with(read, heardIn, new Lease(reader, lease.calls(), Instant.EPOCH, 0));
  }

  private MessageEntry with(boolean read, int heardIn, @Nullable Lease lease) {
    return new MessageEntry(
        id, number, text, timestamp, sent, by, key, followUp, question, read, heardIn, lease);
  }

  /** Returns whether that reader is shown it, and no other may be. */
  boolean isLeasedTo(String reader, Instant now) {
    return lease != null && lease.reader().equals(reader) && now.isBefore(lease.until());
  }

  /** Returns whether another reader is shown it, and that one may not be. */
  boolean isLeasedFrom(String reader, Instant now) {
    return lease != null && !lease.reader().equals(reader) && now.isBefore(lease.until());
  }

  /** Returns whether another reader in the call's iteration is shown it. */
  boolean isLeasedFrom(ToolCall call, Instant now) {
    return isLeasedFrom(call.reader(), now)
        && lease != null
        && lease.iteration() == call.iteration();
  }

  /** Returns whether the id of the message's frame is lower than that one. */
  boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }
}
