package dev.ralph.mail;

import dev.ralph.NewMessage;
import dev.ralph.core.internal.message.MailHeaders;
import dev.ralph.core.internal.message.MessageEntry;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.Lease;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A box that keeps its mail in a topic of the log. */
final class LogMailbox implements Mailbox {

  private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);
  private static final Duration LONGEST_WAIT = Duration.ofDays(30);

  /** Interval between checks that the processes which hold mails are alive. */
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  private final LogMailboxes boxes;
  private final String name;
  private final Topic topic;
  private final Ledger<Messages> ledger;
  private final MessageRules rules;

  LogMailbox(LogMailboxes boxes, String name, Topic topic, Ledger<Messages> ledger) {
    this.boxes = boxes;
    this.name = name;
    this.topic = topic;
    this.ledger = ledger;
    this.rules = new MessageRules(topic);
  }

  Topic topic() {
    return topic;
  }

  Ledger<Messages> ledger() {
    return ledger;
  }

  MessageRules rules() {
    return rules;
  }

  Mail mail(Messages messages, int index, Instant now) {
    return new LogMail(name, messages, index, now);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Mail> send(NewMail mail) {
    return boxes.send(this, mail, null).copies();
  }

  // ---- receiving

  /**
   * The result of an attempt to receive.
   *
   * @param received the received mail, or null
   * @param time the time of the attempt
   * @param next the earliest end of another receiver's lease or deadline of a mail, or null
   * @param expired the mails that the attempt logged as expired
   */
  private record Attempt(
      @Nullable Received received, Instant time, @Nullable Instant next, List<Mail> expired) {}

  @Override
  public Optional<Received> receive(Duration lease) {
    return Optional.ofNullable(tryToReceive(lease).received);
  }

  @Override
  public Optional<Received> receive(Duration lease, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    Wait wait = new Wait(timeout);
    while (true) {
      Attempt attempt = tryToReceive(lease);
      if (attempt.received != null || wait.isOver()) {
        return Optional.ofNullable(attempt.received);
      }
      Instant time = attempt.time;
      ledger.await(messages -> messages.next(time).isPresent(), wait.until(time, attempt.next));
    }
  }

  /** Measures the rest of a timeout. */
  private static final class Wait {
    private final long begun = System.nanoTime();
    private final Duration timeout;

    Wait(Duration timeout) {
      this.timeout = timeout;
    }

    Duration left() {
      return timeout.minusNanos(System.nanoTime() - begun);
    }

    boolean isOver() {
      return left().isNegative() || left().isZero();
    }

    /** Returns the time until a moment, or the rest of the timeout if that is shorter. */
    Duration until(Instant now, @Nullable Instant moment) {
      Duration left = left();
      if (moment == null) {
        return left;
      }
      Duration before = Duration.between(now, moment);
      Duration wait = before.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : before;
      return wait.compareTo(left) < 0 ? wait : left;
    }
  }

  private Attempt tryToReceive(Duration lease) {
    Objects.requireNonNull(lease, "lease");
    Attempt attempt =
        ledger.decide(
            "receiving mail from " + name,
            (messages, now) -> {
              Lease.end(now, lease); // rejects an invalid length, even if there is no mail
              List<Draft> drafts = new ArrayList<>();
              rules.attend(messages, null).ifPresent(drafts::add);
              List<Mail> expired = expire(messages, drafts, now);
              Holders holders = holders(messages, now);
              OptionalInt next =
                  holders.left >= 0 ? OptionalInt.of(holders.left) : messages.next(now);
              if (next.isEmpty()) {
                Instant moment = earlier(messages.nextLeaseEnd(now), messages.nextDeadline(now));
                if (holders.areThere) {
                  moment = earlier(moment, now.plus(POLL_INTERVAL));
                }
                Instant wake = moment;
                return Decision.append(
                    drafts, (after, frames) -> new Attempt(null, now, wake, expired));
              }
              MessageEntry entry = messages.entry(next.getAsInt());
              drafts.add(held(rules.deliver(List.of(entry.id()), name, null, 0, lease, now)));
              return Decision.append(
                  drafts,
                  (after, frames) ->
                      new Attempt(
                          received(after, next.getAsInt(), entry.wasDelivered(), now),
                          now,
                          null,
                          expired));
            });
    boxes.reportExpired(attempt.expired);
    return attempt;
  }

  /** Returns the frame that delivers a mail, with the process that the lease is bound to. */
  private Draft held(Draft deliver) {
    ProcessIdentity holder = boxes.holder();
    return holder == null ? deliver : Draft.of(topic, holder.in(deliver.meta()));
  }

  /**
   * The leases that are bound to processes.
   *
   * @param left the index of the mail whose process has ended; the mail received first if there are
   *     several; -1 if none exist
   * @param areThere whether the holder process of a mail is alive
   */
  private record Holders(int left, boolean areThere) {
    static final Holders NONE = new Holders(-1, false);
  }

  private Holders holders(Messages messages, Instant now) {
    if (boxes.holder() == null) {
      return Holders.NONE;
    }
    int left = -1;
    String first = "";
    boolean areThere = false;
    for (int index : messages.held()) {
      MessageEntry entry = messages.entry(index);
      Lease lease = entry.lease();
      Instant deadline = entry.envelope().deadline();
      boolean isDue = deadline != null && !now.isBefore(deadline);
      ProcessIdentity holder =
          isDue || lease == null || !lease.isLive(now) ? null : boxes.holder(lease);
      if (lease == null || holder == null) {
        continue;
      }
      if (holder.isLive()) {
        areThere = true;
      } else if (left < 0 || lease.token().compareTo(first) < 0) {
        left = index;
        first = lease.token();
      }
    }
    return new Holders(left, areThere);
  }

  private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
    return one == null || other != null && other.isBefore(one) ? other : one;
  }

  /** Logs expired mails. */
  void expire() {
    boxes.reportExpired(
        ledger.decide(
            "looking for expired mail in " + name,
            (messages, now) -> {
              List<Draft> drafts = new ArrayList<>();
              List<Mail> expired = expire(messages, drafts, now);
              return Decision.append(drafts, (after, frames) -> expired);
            }));
  }

  /**
   * Returns the expired mails that are not logged yet.
   *
   * @param drafts receives the frames that log these mails
   */
  private List<Mail> expire(Messages messages, List<Draft> drafts, Instant now) {
    Optional<Draft> frame = rules.expire(messages, now);
    if (frame.isEmpty()) {
      return List.of();
    }
    drafts.add(frame.get());
    List<Mail> expired =
        frame.get().meta().strings("ids").stream()
            .map(id -> mail(messages, messages.find(id), now))
            .toList();
    drafts.addAll(boxes.besideExpired(expired));
    return expired;
  }

  private Received received(Messages messages, int index, boolean again, Instant now) {
    Lease lease =
        Objects.requireNonNull(messages.entry(index).lease(), "the lease of a received mail");
    Instant given = now.isBefore(lease.since()) ? lease.since() : now; // an append takes time
    return Received.of(this, mail(messages, index, given), lease.token(), lease.until(), again);
  }

  @Override
  public Mail ack(String ref, String token) {
    return change(
        "acknowledging " + ref + " of " + name,
        ref,
        token,
        (entry, now) -> rules.markRead(entry, name, 0, token));
  }

  @Override
  public Mail release(String ref, String token) {
    return change(
        "giving back " + ref + " of " + name,
        ref,
        token,
        (entry, now) -> rules.release(entry, token));
  }

  private Mail change(
      String what, String ref, String token, BiFunction<MessageEntry, Instant, Draft> change) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(token, "token");
    return ledger.decide(
        what,
        (messages, now) -> {
          int index = messages.findHeld(ref, token, now);
          return Decision.append(
              change.apply(messages.entry(index), now), after -> mail(after, index, now));
        });
  }

  @Override
  public Received renew(String ref, String token, Duration lease) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(lease, "lease");
    return ledger.decide(
        "renewing the lease on " + ref + " of " + name,
        (messages, now) -> {
          int index = messages.findHeld(ref, token, now);
          return Decision.append(
              rules.renew(messages.entry(index), token, lease, now),
              after -> received(after, index, true, now));
        });
  }

  // ---- asking and answering

  @Override
  public Mail reply(String ref, @Nullable String token, NewMail answer) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(answer, "answer");
    if (!answer.to().isEmpty()) {
      throw RalphException.invalid(
          "an answer goes to the sender of the mail and cannot name recipients; to write to"
              + " more boxes, send a mail with replyTo");
    }
    Messages messages = ledger.state();
    MessageEntry asked = messages.entry(messages.find(ref));
    String sender = asked.by();
    if (sender == null) {
      throw RalphException.invalid(
          messages.describe(messages.find(ref)) + " has no sender and cannot be answered");
    }
    LogMailbox to = boxes.box(sender);
    if (LogMailboxes.areTogether(this, to)) {
      return reply(asked.id(), token, answer, to);
    }
    if (token == null) {
      return boxes.answer(this, asked, answer.to(sender)).copies().get(0);
    }
    ledger.state().findHeld(asked.id(), token, now());
    // The key prevents a second answer if the acknowledgement fails and the caller retries.
    NewMail once = answer.to(sender).key(answer.key() == null ? asked.id() : answer.key());
    Mail sent = boxes.answer(this, asked, once).copies().get(0);
    ack(asked.id(), token);
    return sent;
  }

  private Mail reply(String id, @Nullable String token, NewMail answer, LogMailbox to) {
    return LogMailboxes.decide(
        "answering " + id + " of " + name,
        new LinkedHashSet<>(List.of(this, to)),
        (states, now) -> {
          Messages own = states.apply(this);
          int index = token == null ? own.find(id) : own.findHeld(id, token, now);
          MessageEntry asked = own.entry(index);
          NewMessage message = LogMailboxes.message(this, answer);
          Messages others = states.apply(to);
          int before = to.rules.findSent(others, message);
          List<Draft> drafts = new ArrayList<>();
          if (before < 0) {
            MailHeaders answering = answer.envelope().replyTo(LogMailboxes.commonId(asked));
            MailHeaders envelope = LogMailboxes.dated(answering, null, now);
            drafts.add(
                to.rules.draft(
                    others, message, envelope, null, asked.envelope().awaitedUntil(), now));
          }
          if (token != null) {
            drafts.add(rules.markRead(asked, name, 0, token));
          }
          return new LogMailboxes.Plan<>(
              drafts,
              (after, frames) -> {
                Messages there = after.apply(to);
                return to.mail(there, before < 0 ? there.find(frames.get(0).id()) : before, now);
              });
        });
  }

  @Override
  public Optional<Mail> ask(NewMail mail, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.compareTo(SHORTEST_WAIT) < 0 || timeout.compareTo(LONGEST_WAIT) > 0) {
      throw RalphException.invalid(
          "the time to wait for an answer must be 1 ms to "
              + LONGEST_WAIT.toDays()
              + " days, not "
              + timeout);
    }
    LogMailboxes.Sent sent = boxes.send(this, mail, timeout);
    Duration longest = timeout;
    Set<String> ids = new HashSet<>();
    for (Mail copy : sent.copies()) {
      ids.add(copy.commonId());
      Instant deadline = copy.deadline();
      Duration left = deadline == null ? timeout : Duration.between(sent.time(), deadline);
      longest = left.compareTo(longest) < 0 ? left : longest;
    }
    // A mail with a key may have been sent before, so its answer may already be in the box.
    boolean again = mail.key() != null;
    Wait wait = new Wait(longest);
    while (true) {
      Optional<Mail> answer = takeAnswer(ids, again);
      if (answer.isPresent() || wait.isOver()) {
        return answer;
      }
      ledger.await(messages -> answerTo(messages, ids, again, null) >= 0, wait.left());
    }
  }

  /** Marks the answer to one of the mails as read and returns it. */
  private Optional<Mail> takeAnswer(Set<String> ids, boolean again) {
    return ledger.decide(
        "reading the answer to " + String.join(", ", ids),
        (messages, now) -> {
          int index = answerTo(messages, ids, again, now);
          if (index < 0) {
            return Decision.nothing(Optional.empty());
          }
          MessageEntry answer = messages.entry(index);
          if (answer.isRead()) {
            return Decision.nothing(Optional.of(mail(messages, index, now)));
          }
          String token = isForAsker(answer) ? answer.id() : null;
          List<Draft> drafts = new ArrayList<>();
          rules.attend(messages, null).ifPresent(drafts::add);
          drafts.add(rules.markRead(answer, name, 0, token));
          return Decision.append(drafts, (after, frames) -> Optional.of(mail(after, index, now)));
        });
  }

  /**
   * Returns the index of the first answer to one of the mails, or -1. Skips answers held by other
   * receivers.
   *
   * @param again whether to include read answers, and answers received while the asker was not
   *     waiting
   * @param now the time, or null if unknown: then each lease counts as live until it is ended
   */
  private static int answerTo(
      Messages messages, Set<String> ids, boolean again, @Nullable Instant now) {
    if (!again) {
      return messages.held().stream()
          .filter(i -> isAnswer(messages.entry(i), ids) && isForAsker(messages.entry(i)))
          .findFirst()
          .orElse(-1);
    }
    for (int i = 0; i < messages.size(); i++) {
      MessageEntry entry = messages.entry(i);
      if (isAnswer(entry, ids)
          && (entry.isRead() || entry.isUnread() && (isForAsker(entry) || isFree(entry, now)))) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isAnswer(MessageEntry entry, Set<String> ids) {
    String answered = entry.envelope().replyTo();
    return answered != null && ids.contains(answered);
  }

  /** Returns whether an answer is reserved for the owner of the box, who has asked. */
  private static boolean isForAsker(MessageEntry entry) {
    Lease lease = entry.lease();
    return lease != null && lease.isHeldBy(entry.id());
  }

  private static boolean isFree(MessageEntry entry, @Nullable Instant now) {
    Lease lease = entry.lease();
    return lease == null || (now == null ? !lease.isHeld() : !lease.isLive(now));
  }

  // ---- queries

  private Instant now() {
    return boxes.now();
  }

  @Override
  public List<Mail> unread() {
    Messages messages = ledger.state();
    Instant now = now();
    return mails(messages, messages.unread(now), now);
  }

  @Override
  public List<Mail> history() {
    Messages messages = ledger.state();
    Instant now = now();
    return mails(messages, null, now);
  }

  @Override
  public List<Mail> await(int after, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(timeout, "timeout");
    if (after < 0) {
      throw RalphException.invalid("the number of earlier mails must not be negative: " + after);
    }
    ledger.await(messages -> messages.size() > after, timeout);
    List<Mail> all = history();
    return all.subList(Math.min(after, all.size()), all.size());
  }

  /**
   * Returns mails as a list.
   *
   * @param indexes the indexes of the mails, or null for all mails
   */
  private List<Mail> mails(Messages messages, @Nullable List<Integer> indexes, Instant now) {
    int size = indexes == null ? messages.size() : indexes.size();
    return new AbstractList<>() {
      @Override
      public int size() {
        return size;
      }

      @Override
      public Mail get(int i) {
        return mail(messages, indexes == null ? Objects.checkIndex(i, size) : indexes.get(i), now);
      }
    };
  }

  @Override
  public Mail get(String ref) {
    Objects.requireNonNull(ref, "ref");
    Messages messages = ledger.state();
    Instant now = now();
    return mail(messages, messages.find(ref), now);
  }

  @Override
  public List<Mail> thread(String ref) {
    Mail start = get(ref);
    List<Mail> all = new ArrayList<>();
    boxes.all().stream().filter(box -> box != this).forEach(box -> all.addAll(box.history()));
    all.addAll(history());
    return Threads.of(start, all);
  }

  Mailbox.Listed list() {
    Messages messages = ledger.state();
    Instant now = now();
    return new Mailbox.Listed(
        name, messages.unread(now).size(), messages.size(), messages.isAttended());
  }

  @Override
  public String toString() {
    return "box " + name;
  }
}
