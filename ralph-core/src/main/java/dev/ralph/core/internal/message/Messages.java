package dev.ralph.core.internal.message;

import dev.ralph.Message;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.core.internal.message.MessageState.Kinds;
import dev.ralph.domain.IndexSet;
import dev.ralph.domain.Lease;
import dev.ralph.domain.NumberedList;
import dev.ralph.domain.NumberedState;
import dev.ralph.domain.Priority;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All messages of an inbox or a mailbox at one moment. Queries for unread messages scan only these.
 * Immutable; safe for use by many threads.
 */
public final class Messages extends NumberedList<MessageEntry, Message> {

  private final TextSource texts;
  private final Kinds kinds;
  private final KeyTable keys;
  private final boolean attended;

  Messages(
      NumberedState<MessageEntry> state,
      TextSource texts,
      String kind,
      Kinds kinds,
      KeyTable keys,
      boolean attended) {
    super(state, kind, 'm');
    this.texts = texts;
    this.kinds = kinds;
    this.keys = keys;
    this.attended = attended;
  }

  @Override
  public Message view(int index) {
    return new MessageView(index);
  }

  /** Returns the views of the messages at given indexes, created on demand. */
  public List<Message> views(List<Integer> indexes) {
    return new AbstractList<>() {
      @Override
      public int size() {
        return indexes.size();
      }

      @Override
      public Message get(int i) {
        return view(indexes.get(i));
      }
    };
  }

  /** Returns the indexes of the messages that are neither read nor expired, in order. */
  public List<Integer> unread(Instant now) {
    IndexSet due = kinds.due();
    return indexes(kinds.unread(), i -> !due.contains(i) || !entry(i).isExpired(now));
  }

  /** Returns the number of messages that are neither read nor recorded as expired. */
  public int unreadCount() {
    return kinds.unread().size();
  }

  /** Returns the indexes of the unread messages with a hold, in order. */
  public List<Integer> held() {
    return indexes(kinds.held(), i -> true);
  }

  /** Returns the index of the unread message that answers a question, or -1. */
  public int unreadAnswer(String question) {
    IndexSet unread = kinds.unread();
    int index = unread.next(0);
    while (index >= 0 && !question.equals(entry(index).question)) {
      index = unread.next(index + 1);
    }
    return index;
  }

  /**
   * Returns the indexes of the unread messages that have expired and are not recorded as expired.
   */
  public List<Integer> expired(Instant now) {
    return indexes(kinds.due(), i -> entry(i).isExpired(now));
  }

  private static List<Integer> indexes(IndexSet kind, IntPredicate wanted) {
    List<Integer> found = new ArrayList<>();
    for (int i = kind.next(0); i >= 0; i = kind.next(i + 1)) {
      if (wanted.test(i)) {
        found.add(i);
      }
    }
    return found;
  }

  /**
   * Returns the index of the next message to receive: of the unread messages that are neither
   * expired nor leased, the oldest with the highest priority.
   */
  public OptionalInt next(Instant now) {
    IndexSet held = kinds.held();
    for (Priority priority : Priority.values()) {
      IndexSet unread = kinds.unread(priority);
      for (int i = unread.next(0); i >= 0; i = unread.next(i + 1)) {
        boolean elsewhere = held.contains(i) && entry(i).isLeased(now);
        if (!elsewhere && !(kinds.due().contains(i) && entry(i).isExpired(now))) {
          return OptionalInt.of(i);
        }
      }
    }
    return OptionalInt.empty();
  }

  /** Returns the earliest end of a live lease, or null for no live lease. */
  public @Nullable Instant nextLeaseEnd(Instant now) {
    Instant first = null;
    for (int index : held()) {
      Lease lease = entry(index).lease();
      if (lease != null && lease.isLive(now) && (first == null || lease.until().isBefore(first))) {
        first = lease.until();
      }
    }
    return first;
  }

  /** Returns the earliest future deadline of the unread messages, or null for none. */
  public @Nullable Instant nextDeadline(Instant now) {
    Instant first = null;
    IndexSet due = kinds.due();
    for (int i = due.next(0); i >= 0; i = due.next(i + 1)) {
      Instant deadline = entry(i).envelope().deadline();
      if (deadline != null
          && now.isBefore(deadline)
          && (first == null || deadline.isBefore(first))) {
        first = deadline;
      }
    }
    return first;
  }

  /** Returns whether any unread message with a hold matches. */
  public boolean anyHeld(Predicate<MessageEntry> kind) {
    return any(kinds.held(), kind);
  }

  /** Returns whether any message matches whose read mark requires the success of an iteration. */
  public boolean anyHeard(Predicate<MessageEntry> kind) {
    return any(kinds.readDuringIteration(), kind);
  }

  private boolean any(IndexSet set, Predicate<MessageEntry> kind) {
    for (int i = set.next(0); i >= 0; i = set.next(i + 1)) {
      if (kind.test(entry(i))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the index of the first message with a key from any sender, or -1. */
  public int findKey(String key) {
    return keys.find(key, index -> key.equals(entry(index).key));
  }

  /**
   * Returns the index of the message that a sender has sent with a key, or -1.
   *
   * @param by the sender, or null for a message without a sender
   */
  public int findKey(String key, @Nullable String by) {
    return keys.find(
        key, index -> key.equals(entry(index).key) && Objects.equals(by, entry(index).by));
  }

  /** Returns whether any receipt from the box is recorded. */
  public boolean isAttended() {
    return attended;
  }

  /**
   * Returns the index of a message with a held, unexpired lease.
   *
   * @param token the token of the lease
   * @throws RalphException INVALID if the lease is not held or has expired, NOT_FOUND or AMBIGUOUS
   *     as {@link #find}
   */
  public int findHeld(String ref, String token, Instant now) {
    int index = find(ref);
    MessageEntry message = entry(index);
    Lease lease = message.lease();
    // The start of the lease is ignored: a clock that was set back must not end the lease.
    if (lease != null && lease.isHeldBy(token) && now.isBefore(lease.until())) {
      return index;
    }
    throw RalphException.invalid(
        reference(index)
            + " is not leased under the token "
            + RalphException.quote(token)
            + ": "
            + whyNot(index, message, lease, token, now)
            + (message.isUnread() ? "; receive again to get the message if free" : ""));
  }

  /** Returns the headers of a message from an inbox of any log. */
  public static MailHeaders envelope(Message message) {
    return message instanceof MessageView view ? view.envelope() : MailHeaders.EMPTY;
  }

  private String whyNot(
      int index, MessageEntry message, @Nullable Lease lease, String token, Instant now) {
    if (!message.isUnread()) {
      return message.isRead() ? "the message is already read" : "the message has expired";
    } else if (lease == null) {
      return "the message was never received";
    } else if (!lease.token().equals(token) && !wasToken(token, message)) {
      return "the token does not belong to " + reference(index);
    } else if (!lease.token().equals(token)) {
      return lease.isLive(now)
          ? "a later receiver holds the message until " + lease.until()
          : "a newer lease has replaced the token";
    }
    if (!lease.isHeld()) {
      return "the message was released";
    }
    return "the lease expired at " + lease.until();
  }

  /** Returns whether a token belongs to a former lease of a message. */
  private boolean wasToken(String token, MessageEntry message) {
    return texts.frame(token).map(frame -> MessageFold.isLease(frame, message)).orElse(false);
  }

  /** The view of a message. */
  private final class MessageView extends Shown implements Message {

    MessageView(int index) {
      super(index);
    }

    MailHeaders envelope() {
      return entry.envelope;
    }

    @Override
    public Meta json() {
      return SessionJson.message(this, JsonProfile.FULL);
    }

    @Override
    public String text() {
      return texts.whole(entry.id(), entry.text);
    }

    @Override
    public String beginning(int characters) {
      return texts.beginning(entry.id(), entry.text, characters);
    }

    @Override
    public int length() {
      return entry.text.length();
    }

    @Override
    public String timestamp() {
      return entry.timestamp;
    }

    @Override
    public Instant sent() {
      return entry.sent;
    }

    @Override
    public @Nullable String by() {
      return entry.by;
    }

    @Override
    public int agent() {
      return entry.agent;
    }

    @Override
    public boolean isRead() {
      return entry.isRead();
    }

    @Override
    public int readBy() {
      return entry.readBy;
    }

    @Override
    public boolean isExpired() {
      return entry.status == MessageEntry.Status.EXPIRED;
    }

    @Override
    public boolean isFollowUp() {
      return entry.followUp;
    }

    @Override
    public @Nullable String question() {
      return entry.question;
    }

    @Override
    public @Nullable String headline() {
      return entry.envelope.headline();
    }

    @Override
    public boolean isFromBox() {
      return entry.envelope.isFromBox();
    }

    @Override
    protected List<?> values() {
      return Arrays.asList(
          length(),
          timestamp(),
          sent(),
          by(),
          agent(),
          isRead(),
          readBy(),
          isExpired(),
          isFollowUp(),
          question(),
          entry.envelope);
    }

    @Override
    public String toString() {
      return describe(index) + (entry.isUnread() ? " (unread)" : "");
    }
  }
}
