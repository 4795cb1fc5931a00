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
   * A reader that holds a message. Readers in different iterations hold a message at the same time,
   * because their agents work side by side and each has to see the message.
   *
   * @param lease whose token is the id of the frame that gave the message to the reader
   * @param calls the reader's calls whose replies showed the message unasked; empty if the reader
   *     asked for the message
   * @param iteration the iteration that ends the hold, or 0
   * @param other the next older hold, of a reader in another iteration; null if there is none
   */
  record Hold(Lease lease, List<String> calls, int iteration, @Nullable Hold other) {

    /**
     * More calls than an agent makes at once; the oldest is forgotten, and the message repeated.
     */
    private static final int MOST_CALLS = 100;

    /** Returns these calls and more, without the oldest if there are too many. */
    private List<String> callsAnd(List<String> more) {
      List<String> all = new ArrayList<>(calls);
      all.addAll(more);
      int from = Math.max(0, all.size() - MOST_CALLS);
      return List.copyOf(all.subList(from, all.size()));
    }

    /** Returns whether readers in these iterations are shown a message one at a time. */
    private boolean excludes(int iteration) {
      return this.iteration == 0 || iteration == 0 || this.iteration == iteration;
    }

    private Hold before(@Nullable Hold older) {
      return new Hold(lease, calls, iteration, older);
    }

    /** Returns this hold as ended, tied to no iteration. */
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
  final Envelope envelope;

  /** The number of the agent that the message is addressed to, or 0. */
  final int agent;

  final Status status;

  /** The number of the agent that marked the message as read, or 0. */
  final int readBy;

  /**
   * The iteration in which an agent has surely seen the message, which counts as read if the
   * iteration succeeds; 0 if it was not read so.
   */
  final int heardIn;

  /** Whether somebody was given it, now or before. */
  final boolean delivered;

  /** The newest hold; null where nobody was given it since it was last unread, and once settled. */
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

  /** Returns the number of the agent that the message is addressed to; 0 for all agents. */
  public int agent() {
    return agent;
  }

  /** Returns whether a reader whose work ends with that iteration holds the message. */
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

  /** Returns the newest lease of that reader, ended or not; null if the reader never had one. */
  public @Nullable Lease leaseOf(String reader) {
    Hold own = holdOf(reader);
    return own == null ? null : own.lease;
  }

  /** Returns the calls of that reader whose replies showed the message unasked. */
  public List<String> callsOf(String reader) {
    Hold own = holdOf(reader);
    return own == null ? List.of() : own.calls;
  }

  /** Returns whether any reader's lease on the message runs. */
  public boolean isLeased(Instant now) {
    return any(hold -> hold.lease.isLive(now));
  }

  /** Returns whether that reader's lease on the message runs. */
  public boolean isLeasedTo(String reader, Instant now) {
    Hold own = holdOf(reader);
    return own != null && own.lease.isLive(now);
  }

  /**
   * Returns whether the message is withheld from a reader, because another reader in the same
   * iteration holds it, or one of the two is in no iteration.
   *
   * @param iteration the reader's, or 0
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

  /** Returns whether the id of the message's frame is lower than that one. */
  public boolean isBefore(@Nullable String frame) {
    return frame != null && id.compareTo(frame) < 0;
  }

  // ---- for the fold

  /**
   * Returns this message as read.
   *
   * @param heardIn the iteration whose success that depends on, or 0; if it does, the text is kept
   * @param agent the number of the agent that read the message, or 0
   */
  MessageEntry asRead(int heardIn, int agent) {
    return with(heardIn == 0 ? left() : text, Status.READ, agent, heardIn, delivered, null);
  }

  /** Returns this message, whose text is left in the log. */
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
   * Returns this message as given to the owner of a lease. Holds of readers in other iterations
   * stay.
   *
   * @param call the call that it was shown with, or null if the owner asked for it
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

  /** Returns this message, held for as long as a frame renews its newest lease. */
  MessageEntry renewed(Frame by) {
    return hold == null
        ? this
        : held(delivered, new Hold(hold.lease.renewed(by), hold.calls, hold.iteration, hold.other));
  }

  /** Returns this message after the end of an iteration: whether its agent has heard all or not. */
  MessageEntry iterationEnded(int iteration, boolean heard, Instant time) {
    if (isRead()) {
      return isReadForNow(iteration) && !heard ? with(text, Status.UNREAD, 0, 0, true, null) : this;
    }
    return released(hold -> hold.iteration == iteration, time);
  }

  /** Returns this message, no longer held by that reader. */
  MessageEntry releasedBy(String reader, Instant time) {
    return released(hold -> hold.lease.owner().equals(reader), time);
  }

  /** Returns this message, no longer held under its newest lease. */
  MessageEntry released(Instant time) {
    Hold newest = hold;
    return released(hold -> hold == newest, time);
  }

  /** Ends some holds; the last one of all stays, as ended, to say who had the message. */
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
