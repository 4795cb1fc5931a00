package dev.ralph.core.internal.message;

import dev.ralph.domain.KeptText;
import dev.ralph.domain.Lease;
import dev.ralph.domain.Numbered;
import dev.ralph.log.Frame;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message as the fold keeps it: put in place of the former one when changed. Immutable; safe
 * for use by many threads.
 *
 * <p>Of a message that is settled, which is read or expired, the text is left in the log.
 */
public final class MessageEntry implements Numbered {

  /** What has become of a message. */
  enum Status {
    UNREAD,
    READ,
    EXPIRED
  }

  /**
   * Who was given a message last.
   *
   * @param lease whose token is the id of the frame that gave it
   * @param calls those of its calls that an agent was shown the message with unasked; none if it
   *     asked for it
   * @param iteration the iteration that the agent's work ends with, or 0
   */
  record Hold(Lease lease, List<String> calls, int iteration) {

    /**
     * More calls than an agent makes at once; the oldest is forgotten, and the message repeated.
     */
    private static final int MOST_CALLS = 100;

    /** Returns the next hold of the same owner, who may still answer the calls before. */
    private Hold next(Lease lease, List<String> more, int iteration) {
      List<String> all = new ArrayList<>(calls);
      all.addAll(more);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return new Hold(lease, List.copyOf(all.subList(from, all.size())), iteration);
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
  final Envelope envelope;
  final Status status;

  /**
   * The iteration in which an agent has surely seen the message, which counts as read if the
   * iteration succeeds; 0 if it was not read so.
   */
  final int heardIn;

  /** Whether somebody was given it, now or before. */
  final boolean delivered;

  /** Null where nobody was given it since it was last unread, and once it is settled. */
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
      Envelope envelope,
      Status status,
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
    this.status = status;
    this.heardIn = heardIn;
    this.delivered = delivered;
    this.hold = hold;
  }

  private MessageEntry with(
      KeptText text, Status status, int heardIn, boolean delivered, @Nullable Hold hold) {
    return new MessageEntry(
        id, number, timestamp, text, sent, by, key, followUp, question, envelope, status, heardIn,
        delivered, hold);
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

  /** Returns what is kept of its text. */
  public KeptText text() {
    return text;
  }

  /** Returns who sent it, or null where nobody said. */
  public @Nullable String by() {
    return by;
  }

  /** Returns what it says besides its text. */
  public Envelope envelope() {
    return envelope;
  }

  /** Returns whether it is meant for the next iteration rather than the one that runs. */
  public boolean isFollowUp() {
    return followUp;
  }

  /** Returns whether it is neither read nor logged as expired. */
  public boolean isUnread() {
    return status == Status.UNREAD;
  }

  /** Returns whether it was marked as read. */
  public boolean isRead() {
    return status == Status.READ;
  }

  /** Returns whether it is read only if the iteration succeeds in which an agent was shown it. */
  public boolean isReadForNow() {
    return heardIn != 0;
  }

  /** Returns whether it is read only if that iteration succeeds. */
  public boolean isReadForNow(int iteration) {
    return heardIn == iteration && heardIn != 0;
  }

  /** Returns whether an agent was given it, unread, whose work ends with that iteration. */
  public boolean isHeldIn(int iteration) {
    return hold != null && hold.iteration == iteration;
  }

  /** Returns whether it is expired: logged as that, or past its deadline and in nobody's hands. */
  public boolean isExpired(Instant now) {
    Instant deadline = envelope.deadline();
    return status == Status.EXPIRED
        || isUnread() && deadline != null && !now.isBefore(deadline) && !isLeased(now);
  }

  /** Returns whether somebody was given it before, who may not have seen it. */
  public boolean wasDelivered() {
    return delivered;
  }

  /** Returns the lease of the one who was given it last, ended or not; null if nobody has it. */
  public @Nullable Lease lease() {
    return hold == null ? null : hold.lease;
  }

  /** Returns the calls that the one who has it was shown it with unasked. */
  public List<String> calls() {
    return hold == null ? List.of() : hold.calls;
  }

  /** Returns whether somebody has it. */
  public boolean isLeased(Instant now) {
    return hold != null && hold.lease.isLive(now);
  }

  /** Returns whether that reader has it, and no other may be given it. */
  public boolean isLeasedTo(String reader, Instant now) {
    return hold != null && hold.lease.owner().equals(reader) && hold.lease.isLive(now);
  }

  /** Returns whether another reader has it, and that one may not be given it. */
  public boolean isLeasedFrom(String reader, Instant now) {
    return isLeased(now) && !isLeasedTo(reader, now);
  }

  /** Returns whether another reader in the same iteration has it. */
  public boolean isLeasedFrom(String reader, int iteration, Instant now) {
    return isLeasedFrom(reader, now) && hold != null && hold.iteration == iteration;
  }

  /** Returns whether the id of the message's frame is lower than that one. */
  public boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }

  // ---- for the fold

  /**
   * Returns this message as read.
   *
   * @param heardIn the iteration whose success that depends on, or 0; if it does, the text is kept
   */
  MessageEntry asRead(int heardIn) {
    return with(heardIn == 0 ? left() : text, Status.READ, heardIn, delivered, null);
  }

  /** Returns this message, whose text is left in the log. */
  MessageEntry withoutText() {
    return with(left(), status, heardIn, delivered, hold);
  }

  private KeptText left() {
    return new KeptText("", text.length());
  }

  MessageEntry expired() {
    return with(left(), Status.EXPIRED, 0, delivered, null);
  }

  /**
   * Returns this message as given to the owner of a lease.
   *
   * @param call the call that it was shown with, or null if the owner asked for it
   */
  MessageEntry givenTo(Lease lease, @Nullable String call, int iteration) {
    List<String> calls = call == null ? List.of() : List.of(call);
    Hold next =
        hold != null && hold.lease.owner().equals(lease.owner())
            ? hold.next(lease, calls, iteration)
            : new Hold(lease, calls, iteration);
    return with(text, status, heardIn, true, next);
  }

  /** Returns this message, held for as long as a frame renews its lease. */
  MessageEntry renewed(Frame by) {
    return hold == null
        ? this
        : with(
            text,
            status,
            heardIn,
            delivered,
            new Hold(hold.lease.renewed(by), hold.calls, hold.iteration));
  }

  /** Returns this message after the end of an iteration: whether its agent has heard all or not. */
  MessageEntry iterationEnded(int iteration, boolean heard, Instant time) {
    if (isRead()) {
      return isReadForNow(iteration) && !heard ? with(text, Status.UNREAD, 0, true, null) : this;
    }
    return isHeldIn(iteration) ? released(time) : this;
  }

  /** Returns this message, no longer held by that reader. */
  MessageEntry releasedBy(String reader, Instant time) {
    return hold == null || !hold.lease.owner().equals(reader) ? this : released(time);
  }

  /** Returns this message, no longer held. */
  MessageEntry released(Instant time) {
    return hold == null
        ? this
        : with(text, status, heardIn, delivered, new Hold(hold.lease.ended(time), hold.calls, 0));
  }
}
