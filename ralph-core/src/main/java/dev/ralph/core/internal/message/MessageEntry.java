package dev.ralph.core.internal.message;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Numbered;
import dev.ralph.log.Frame;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A message in the state of the fold. Each change replaces the entry. Immutable; safe for use by
 * many threads.
 *
 * <p>The text of a read or expired message is only in the log.
 */
public final class MessageEntry implements Numbered {

  /** The status of a message. */
  enum Status {
    UNREAD,
    READ,
    EXPIRED
  }

  /**
   * A reader's hold on a message. Readers in different iterations hold a message at the same time,
   * because each of their agents has to receive the message.
   *
   * @param lease the lease, whose token is the id of the delivering frame
   * @param calls the reader's calls whose replies contained the message; empty if the reader
   *     requested the message
   * @param iteration the iteration that ends the hold, or 0
   * @param other the next older hold, of a reader in another iteration; null for none
   */
  record Hold(Lease lease, List<String> calls, int iteration, @Nullable Hold other) {

    /**
     * The maximum number of remembered calls. Agents make fewer calls at once. After the oldest
     * call is dropped, the message may be delivered again.
     */
    private static final int MOST_CALLS = 100;

    /** Returns these and further calls, without the oldest beyond the limit. */
    private List<String> callsAnd(List<String> more) {
      List<String> all = new ArrayList<>(calls);
      all.addAll(more);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return List.copyOf(all.subList(from, all.size()));
    }

    /** Returns whether a hold excludes readers of an iteration. */
    private boolean excludes(int iteration) {
      return this.iteration == 0 || iteration == 0 || this.iteration == iteration;
    }

    private Hold before(@Nullable Hold older) {
      return new Hold(lease, calls, iteration, older);
    }

    /** Returns this hold as ended, without an iteration. */
    private Hold ended(Instant time) {
      return new Hold(lease.ended(time), calls, 0, null);
    }
  }

  final String id;
  final int number;
  final KeptText text;
  final String timestamp;
  final Instant sent;
  final @Nullable String by;
  final @Nullable String key;
  final boolean followUp;
  final @Nullable String question;
  final MailHeaders envelope;

  /** The number of the addressed agent, or 0 for all. */
  final int agent;

  final Status status;

  /** The number of the agent that marked the message as read, or 0. */
  final int readBy;

  /**
   * The iteration in which an agent surely received the message; the message is read if the
   * iteration succeeds. 0 for none.
   */
  final int heardIn;

  /** Whether the message was ever delivered to a reader. */
  final boolean delivered;

  /**
   * The newest hold; null if the message was not delivered since it last became unread, and for
   * read or expired messages.
   */
  final @Nullable Hold hold;

  MessageEntry(
      String id,
      int number,
      String timestamp,
      KeptText text,
      Instant sent,
      @Nullable String by,
      @Nullable String key,
      boolean followUp,
      @Nullable String question,
      MailHeaders envelope,
      int agent,
      Status status,
      int readBy,
      int heardIn,
      boolean delivered,
      @Nullable Hold hold) {
    this.id = id;
    this.number = number;
    this.text = text;
    this.timestamp = timestamp;
    this.sent = sent;
    this.by = by;
    this.key = key;
    this.followUp = followUp;
    this.question = question;
    this.envelope = envelope;
    this.agent = agent;
    this.status = status;
    this.readBy = readBy;
    this.heardIn = heardIn;
    this.delivered = delivered;
    this.hold = hold;
  }

  private MessageEntry with(
      KeptText text,
      Status status,
      int readBy,
      int heardIn,
      boolean delivered,
      @Nullable Hold hold) {
    return new MessageEntry(
        id, number, timestamp, text, sent, by, key, followUp, question, envelope, agent, status,
        readBy, heardIn, delivered, hold);
  }

  private MessageEntry held(boolean delivered, @Nullable Hold hold) {
    return with(text, status, readBy, heardIn, delivered, hold);
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
    return isUnread() ? text.beginning() : status == Status.READ ? "(read)" : "(expired)";
  }

  @Override
  public boolean isTitleItsText() {
    return isUnread();
  }

  /** Returns the kept part of the text. */
  public KeptText text() {
    return text;
  }

  /** Returns the sender, or null if unknown. */
  public @Nullable String by() {
    return by;
  }

  /** Returns the headers. */
  public MailHeaders envelope() {
    return envelope;
  }

  /** Returns whether the message is for the next iteration rather than the running one. */
  public boolean isFollowUp() {
    return followUp;
  }

  /** Returns whether the message is neither read nor recorded as expired. */
  public boolean isUnread() {
    return status == Status.UNREAD;
  }

  /** Returns whether the message was marked as read. */
  public boolean isRead() {
    return status == Status.READ;
  }

  /** Returns whether the message is read only if the receiving agent's iteration succeeds. */
  public boolean isReadForNow() {
    return heardIn != 0;
  }

  /** Returns whether the message is read only if an iteration succeeds. */
  public boolean isReadForNow(int iteration) {
    return heardIn == iteration && heardIn != 0;
  }

  /** Returns the number of the addressed agent; 0 for all agents. */
  public int agent() {
    return agent;
  }

  /** Returns whether a hold on the message ends with an iteration. */
  public boolean isHeldIn(int iteration) {
    return any(hold -> hold.iteration == iteration);
  }

  private boolean any(Predicate<Hold> kind) {
    for (Hold each = hold; each != null; each = each.other) {
      if (kind.test(each)) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Hold holdOf(String reader) {
    for (Hold each = hold; each != null; each = each.other) {
      if (each.lease.owner().equals(reader)) {
        return each;
      }
    }
    return null;
  }

  /**
   * Returns whether the message is expired: recorded as expired, or past its deadline and not
   * leased.
   */
  public boolean isExpired(Instant now) {
    Instant deadline = envelope.deadline();
    return status == Status.EXPIRED
        || isUnread() && deadline != null && !now.isBefore(deadline) && !isLeased(now);
  }

  /** Returns whether the message was delivered before, but possibly not received. */
  public boolean wasDelivered() {
    return delivered;
  }

  /** Returns the newest lease, ended or not; null if there is no hold. */
  public @Nullable Lease lease() {
    return hold == null ? null : hold.lease;
  }

  /** Returns the newest lease of a reader, ended or not; null for none. */
  public @Nullable Lease leaseOf(String reader) {
    Hold own = holdOf(reader);
    return own == null ? null : own.lease;
  }

  /** Returns the calls of a reader whose replies contained the message. */
  public List<String> callsOf(String reader) {
    Hold own = holdOf(reader);
    return own == null ? List.of() : own.calls;
  }

  /** Returns whether any reader's lease on the message is live. */
  public boolean isLeased(Instant now) {
    return any(hold -> hold.lease.isLive(now));
  }

  /** Returns whether a reader's lease on the message is live. */
  public boolean isLeasedTo(String reader, Instant now) {
    Hold own = holdOf(reader);
    return own != null && own.lease.isLive(now);
  }

  /**
   * Returns whether the message is withheld from a reader. In this case another reader holds the
   * message, and both readers have the same iteration, or either reader has no iteration.
   *
   * @param iteration the reader's iteration, or 0
   */
  public boolean isWithheldFrom(String reader, int iteration, Instant now) {
    return any(
        hold ->
            !hold.lease.owner().equals(reader)
                && hold.excludes(iteration)
                && hold.lease.isLive(now));
  }

  /** Returns whether another reader in the same iteration holds the message. */
  public boolean isHeldBeside(String reader, int iteration, Instant now) {
    return any(
        hold ->
            !hold.lease.owner().equals(reader)
                && hold.iteration == iteration
                && hold.lease.isLive(now));
  }

  /** Returns whether the message's frame has a lower id than another frame. */
  public boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }

  // ---- for the fold

  /**
   * Returns this message as read.
   *
   * @param heardIn the iteration whose success the read mark requires, or 0; with an iteration, the
   *     text is kept
   * @param agent the number of the agent that read the message, or 0
   */
  MessageEntry asRead(int heardIn, int agent) {
    return with(heardIn == 0 ? left() : text, Status.READ, agent, heardIn, delivered, null);
  }

  /** Returns this message without its text, which the log keeps. */
  MessageEntry withoutText() {
    return with(left(), status, readBy, heardIn, delivered, hold);
  }

  private KeptText left() {
    return new KeptText("", text.length());
  }

  MessageEntry expired() {
    return with(left(), Status.EXPIRED, 0, 0, delivered, null);
  }

  /**
   * Returns this message as delivered to the owner of a lease. Keeps the holds of readers in other
   * iterations.
   *
   * @param call the call whose reply contained the message, or null if the owner requested the
   *     message
   */
  MessageEntry givenTo(Lease lease, @Nullable String call, int iteration) {
    List<String> calls = call == null ? List.of() : List.of(call);
    Hold before = holdOf(lease.owner());
    List<Hold> others = new ArrayList<>();
    for (Hold each = hold; each != null; each = each.other) {
      if (each != before && !each.excludes(iteration) && each.lease.isHeld()) {
        others.add(each);
      }
    }
    List<String> all = before == null ? calls : before.callsAnd(calls);
    return held(true, new Hold(lease, all, iteration, chain(others)));
  }

  private static @Nullable Hold chain(List<Hold> holds) {
    Hold chain = null;
    for (int i = holds.size() - 1; i >= 0; i--) {
      chain = holds.get(i).before(chain);
    }
    return chain;
  }

  /** Returns this message with its newest lease renewed by a frame. */
  MessageEntry renewed(Frame by) {
    return hold == null
        ? this
        : held(delivered, new Hold(hold.lease.renewed(by), hold.calls, hold.iteration, hold.other));
  }

  /**
   * Returns this message after the end of an iteration.
   *
   * @param heard whether the agent surely received the replies to all calls
   */
  MessageEntry iterationEnded(int iteration, boolean heard, Instant time) {
    if (isRead()) {
      return isReadForNow(iteration) && !heard ? with(text, Status.UNREAD, 0, 0, true, null) : this;
    }
    return released(hold -> hold.iteration == iteration, time);
  }

  /** Returns this message without the hold of a reader. */
  MessageEntry releasedBy(String reader, Instant time) {
    return released(hold -> hold.lease.owner().equals(reader), time);
  }

  /** Returns this message without its newest hold. */
  MessageEntry released(Instant time) {
    Hold newest = hold;
    return released(hold -> hold == newest, time);
  }

  /**
   * Ends holds. If no hold remains, the newest ended hold is kept as a record of the last reader.
   */
  private MessageEntry released(Predicate<Hold> ending, Instant time) {
    if (!any(ending)) {
      return this;
    }
    List<Hold> kept = new ArrayList<>();
    Hold last = null;
    for (Hold each = hold; each != null; each = each.other) {
      if (!ending.test(each)) {
        kept.add(each);
      } else if (last == null) {
        last = each;
      }
    }
    return held(delivered, kept.isEmpty() && last != null ? last.ended(time) : chain(kept));
  }
}
