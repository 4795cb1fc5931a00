package dev.ralph.mail;

import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.core.internal.message.MailHeaders;
import dev.ralph.core.internal.message.MessageEntry;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.Lease;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The boxes of a project. Each box is a topic of the log. */
final class LogMailboxes implements Mailboxes {

  private final Ralph ralph;
  private final String project;
  private final Topic scope;
  private final MessageFold fold;
  private final @Nullable Expiry expiry;

  /** The process that leases are bound to, or null if leases outlive their process. */
  private final @Nullable ProcessIdentity holder;

  private final Map<String, LogMailbox> boxes = new ConcurrentHashMap<>();

  /** The handling of expired mails. */
  private record Expiry(Function<Mail, Draft> frame, Consumer<Mail> listener) {}

  LogMailboxes(Ralph ralph, String project) {
    this(ralph, project, null, null);
  }

  private LogMailboxes(
      Ralph ralph, String project, @Nullable Expiry expiry, @Nullable ProcessIdentity holder) {
    this.ralph = ralph;
    this.project = project;
    this.expiry = expiry;
    this.holder = holder;
    this.scope = BoxAddress.scope(project);
    this.fold = MessageFold.ofMail(new TextSource(ralph.log()::get));
  }

  Instant now() {
    return ralph.clock().instant();
  }

  @Override
  public LogMailbox box(String address) {
    Objects.requireNonNull(address, "address");
    LogMailbox known = boxes.get(address);
    return known != null ? known : boxes.computeIfAbsent(address, this::open);
  }

  private LogMailbox open(String address) {
    Topic topic = BoxAddress.topic(scope, address);
    return new LogMailbox(this, address, topic, ralph.ledger(topic, fold));
  }

  @Override
  public List<Mail> send(NewMail mail) {
    return send(null, mail, null).copies();
  }

  @Override
  public List<Mailbox.Listed> boxes() {
    return all().stream()
        .map(LogMailbox::list)
        .sorted(Comparator.comparing(Mailbox.Listed::name))
        .toList();
  }

  /** Returns all boxes that have frames. */
  List<LogMailbox> all() {
    List<LogMailbox> all = new ArrayList<>();
    for (Topic topic : ralph.log().topics(TopicFilter.parse(scope + ".*"))) {
      String name = BoxAddress.name(scope, topic);
      if (name != null) {
        all.add(box(name));
      }
    }
    return all;
  }

  /**
   * A sent mail.
   *
   * @param copies the copies, in the order of the recipients
   * @param time the time of the decision to send
   */
  record Sent(List<Mail> copies, Instant time) {}

  /**
   * Sends a mail.
   *
   * @param from the sender's box, or null for an anonymous mail
   * @param awaited the time that the sender waits for an answer, or null
   */
  Sent send(@Nullable LogMailbox from, NewMail mail, @Nullable Duration awaited) {
    Objects.requireNonNull(mail, "mail");
    String ref = mail.replyTo();
    return send(from, mail, ref == null ? null : answered(from, ref), awaited);
  }

  /** Sends an answer to a mail of the sender's box. */
  Sent answer(LogMailbox from, MessageEntry asked, NewMail answer) {
    return send(from, answer, Answered.of(asked), null);
  }

  private Sent send(
      @Nullable LogMailbox from,
      NewMail mail,
      @Nullable Answered answered,
      @Nullable Duration awaited) {
    Set<LogMailbox> to = new LinkedHashSet<>();
    mail.to().forEach(address -> to.add(box(address)));
    if (to.isEmpty()) {
      throw RalphException.invalid("a mail needs a recipient");
    }
    List<String> addresses = to.stream().map(LogMailbox::name).toList();
    String common = to.size() == 1 ? null : new Scru128(Clock.systemUTC()).next();
    NewMessage message = message(from, mail);
    boolean toSession = addresses.stream().anyMatch(name -> name.startsWith(SESSION));
    MailHeaders envelope =
        mail.envelope()
            .fromBox(from != null && toSession)
            .to(to.size() == 1 ? List.of() : addresses)
            .mail(common)
            .replyTo(answered == null ? null : answered.id());
    return decide(
        "sending mail to " + String.join(", ", addresses),
        to,
        (states, now) -> {
          MailHeaders dated = dated(envelope, awaited, now);
          List<Draft> drafts = new ArrayList<>();
          List<Integer> before = new ArrayList<>();
          for (LogMailbox box : to) {
            Messages messages = states.apply(box);
            int known = box.rules().findSent(messages, message);
            before.add(known);
            if (known < 0) {
              Instant heldUntil = answered == null ? null : answered.heldUntil(box);
              drafts.add(box.rules().draft(messages, message, dated, null, heldUntil, now));
            }
          }
          return new Plan<>(
              drafts,
              (after, frames) -> {
                List<Mail> copies = new ArrayList<>();
                int next = 0;
                for (LogMailbox box : to) {
                  int known = before.get(copies.size());
                  Messages messages = after.apply(box);
                  int index = known < 0 ? messages.find(frames.get(next++).id()) : known;
                  copies.add(box.mail(messages, index, now));
                }
                return new Sent(copies, now);
              });
        });
  }

  @Override
  public Topic topic(String name) {
    Objects.requireNonNull(name, "name");
    return scope.child("beside").child(Topic.checkSegment("the topic name", name));
  }

  @Override
  public <R, T> T dispatch(
      String what, Ledger<R> ledger, BiFunction<R, Instant, Dispatch<T>> decider) {
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(ledger, "ledger");
    Objects.requireNonNull(decider, "decider");
    return ledger.decide(
        what,
        (state, now) -> {
          Dispatch<T> dispatch = decider.apply(state, now);
          List<Draft> drafts = new ArrayList<>(dispatch.frames());
          Letters letters = new Letters(dispatch.letters());
          for (Dispatch.Letter letter : dispatch.letters()) {
            for (String address : letter.mail().to()) {
              Draft draft = letters.draft(letter, box(address), now);
              if (draft != null) {
                drafts.add(draft);
              }
            }
          }
          return Decision.append(drafts, (after, frames) -> dispatch.answer());
        });
  }

  @Override
  public Mailboxes onExpiry(Function<Mail, Draft> frame, Consumer<Mail> listener) {
    Objects.requireNonNull(frame, "frame");
    Objects.requireNonNull(listener, "listener");
    return new LogMailboxes(ralph, project, new Expiry(frame, listener), holder);
  }

  @Override
  public Mailboxes heldByProcess() {
    return new LogMailboxes(ralph, project, expiry, ProcessIdentity.current());
  }

  @Nullable ProcessIdentity holder() {
    return holder;
  }

  /** Returns the process that a lease is bound to, or null. */
  @Nullable ProcessIdentity holder(Lease lease) {
    Frame granted = ralph.log().get(lease.token()).orElse(null);
    return granted == null || !"deliver".equals(granted.meta().string("action"))
        ? null
        : ProcessIdentity.of(granted.meta());
  }

  @Override
  public void expire(String address) {
    box(address).expire();
  }

  /** Returns the caller's frames to append with the log entry of expired mails. */
  List<Draft> besideExpired(List<Mail> expired) {
    return expiry == null ? List.of() : expired.stream().map(expiry.frame).toList();
  }

  /** Notifies the caller of mails that were logged as expired. */
  void reportExpired(List<Mail> expired) {
    if (expiry != null) {
      expired.forEach(expiry.listener);
    }
  }

  /** The mails of one dispatch, including answers to mails of the same dispatch. */
  private final class Letters {

    /** The box and the key of a mail. Several senders may use the same key. */
    private record Sent(String box, String key) {}

    private final Map<LogMailbox, Messages> states = new HashMap<>();

    /**
     * The ids of mails that other mails of this dispatch answer, by sender. They are generated
     * here, because a frame has no id before it is appended.
     */
    private final Map<Sent, Map<@Nullable String, String>> answeredHere = new HashMap<>();

    Letters(List<Dispatch.Letter> letters) {
      Set<Sent> answered = new HashSet<>();
      for (Dispatch.Letter letter : letters) {
        if (letter.answered() != null && letter.answeredKey() != null) {
          answered.add(new Sent(letter.answered(), letter.answeredKey()));
        }
      }
      Scru128 ids = new Scru128(Clock.systemUTC());
      for (Dispatch.Letter letter : letters) {
        String key = letter.mail().key();
        for (String box : letter.mail().to()) {
          if (key != null && answered.contains(new Sent(box, key))) {
            answeredHere
                .computeIfAbsent(new Sent(box, key), sent -> new LinkedHashMap<>())
                .put(letter.from(), ids.next());
          }
        }
      }
    }

    private Map<@Nullable String, String> answeredHere(String box, String key) {
      return answeredHere.getOrDefault(new Sent(box, key), Collections.emptyMap());
    }

    private Messages state(LogMailbox box) {
      return states.computeIfAbsent(box, each -> each.ledger().state());
    }

    /** Returns the frame that sends a mail, or null if its key was used before. */
    @Nullable Draft draft(Dispatch.Letter letter, LogMailbox to, Instant now) {
      String from = letter.from();
      NewMessage message = message(from == null ? null : box(from), letter.mail());
      Messages messages = state(to);
      if (to.rules().findSent(messages, message) >= 0) {
        return null;
      }
      MailHeaders envelope = letter.mail().envelope();
      String key = message.key();
      String id = key == null ? null : answeredHere(to.name(), key).get(from);
      envelope = id == null ? envelope : envelope.mail(id);
      Instant heldUntil = null;
      String in = letter.answered();
      String answeredKey = letter.answeredKey();
      if (in != null && answeredKey != null) {
        Messages there = state(box(in));
        int index = there.findKey(answeredKey, to.name());
        index = index < 0 ? there.findKey(answeredKey) : index;
        if (index < 0) {
          Map<@Nullable String, String> here = answeredHere(in, answeredKey);
          String first = here.values().stream().findFirst().orElse(null);
          envelope = envelope.replyTo(here.getOrDefault(to.name(), first));
        } else {
          Answered answered = Answered.of(there.entry(index));
          envelope = envelope.replyTo(answered.id());
          heldUntil = answered.heldUntil(to);
        }
      }
      return to.rules()
          .draft(messages, message, dated(envelope, letter.awaited(), now), null, heldUntil, now);
    }
  }

  static NewMessage message(@Nullable LogMailbox from, NewMail mail) {
    String text = RalphException.requireUnicode("the text of a mail", mail.text());
    String key = mail.key();
    if (key != null) {
      RalphException.requireUnicode("the key of a mail", key);
    }
    return NewMessage.of(text).by(from == null ? null : from.name()).key(key);
  }

  /**
   * A mail to answer.
   *
   * @param id the common id of all copies, or the mail's own id
   * @param by the sender, or null if the mail is anonymous
   * @param awaitedUntil the time until which the sender waits for an answer, or null
   */
  private record Answered(String id, @Nullable String by, @Nullable Instant awaitedUntil) {

    static Answered of(MessageEntry mail) {
      return new Answered(commonId(mail), mail.by(), mail.envelope().awaitedUntil());
    }

    static Answered of(Frame mail) {
      MailHeaders envelope = MailHeaders.of(mail.meta());
      String common = envelope.mail();
      return new Answered(
          common == null ? mail.id() : common, mail.meta().string("by"), envelope.awaitedUntil());
    }

    /** Returns the time until which an answer in a box is reserved for the asker, or null. */
    @Nullable Instant heldUntil(LogMailbox to) {
      return to.name().equals(by) ? awaitedUntil : null;
    }
  }

  /**
   * Returns the answered mail.
   *
   * @param ref a reference to a mail in the sender's box, or a whole id
   */
  private Answered answered(@Nullable LogMailbox from, String ref) {
    boolean isWhole = ref.matches("[0-9a-z]{" + Scru128.LENGTH + "}");
    if (from != null) {
      try {
        Messages own = from.ledger().state();
        return Answered.of(own.entry(own.find(ref)));
      } catch (NotFoundException e) {
        if (!isWhole) {
          throw e.withMessage(
              e.getMessage() + "; to answer a mail of a different box, give the full id");
        }
      }
    } else if (!isWhole) {
      throw RalphException.notFound(
          "a mail without a sender cannot answer "
              + RalphException.quote(ref)
              + ": short references are resolved in the sender's box; give the full id or a"
              + " sender");
    }
    return ralph.log().get(ref).map(Answered::of).orElse(new Answered(ref, null, null));
  }

  /** Returns the common id of the copies of a mail, or its own id. */
  static String commonId(MessageEntry mail) {
    String common = mail.envelope().mail();
    return common == null ? mail.id() : common;
  }

  /** Returns the envelope of a mail that is sent now. */
  static MailHeaders dated(MailHeaders envelope, @Nullable Duration awaited, Instant now) {
    Instant deadline = envelope.deadline();
    if (deadline != null && !now.isBefore(deadline)) {
      throw RalphException.invalid(
          "the deadline of a mail must be in the future; " + deadline + " is past");
    }
    if (awaited == null) {
      return envelope;
    }
    Instant end = now.plus(awaited);
    return envelope.awaitedUntil(deadline != null && deadline.isBefore(end) ? deadline : end);
  }

  // ---- decisions on several boxes

  /** Decides on several boxes at once; see {@link dev.ralph.log.Ledger.Decider}. */
  interface Planner<T> {
    /**
     * Returns the plan.
     *
     * @param states the present states of the boxes
     */
    Plan<T> plan(Function<LogMailbox, Messages> states, Instant now);
  }

  /** Computes the answer from the appended frames and the states of the boxes after the append. */
  interface Answer<T> {
    /** Returns the answer. */
    T of(Function<LogMailbox, Messages> states, List<Frame> frames);
  }

  /** A decision: see {@link Decision}. */
  record Plan<T>(List<Draft> drafts, Answer<T> answer) {}

  /**
   * Decides on boxes of one scope. The ledger of the first box decides, and reads the states of the
   * other boxes.
   */
  static <T> T decide(String what, Set<LogMailbox> boxes, Planner<T> planner) {
    List<LogMailbox> ordered = new ArrayList<>(boxes);
    ordered.sort(Comparator.comparing(LogMailbox::topic));
    LogMailbox first = ordered.get(0);
    TopicFilter others = null;
    for (LogMailbox box : ordered.subList(1, ordered.size())) {
      requireTogether(first, box);
      TopicFilter one = TopicFilter.of(box.topic());
      others = others == null ? one : others.or(one);
    }
    return first
        .ledger()
        .decide(
            what,
            others,
            (state, now) -> {
              Plan<T> plan = planner.plan(box -> box == first ? state : box.ledger().state(), now);
              return Decision.append(
                  plan.drafts(),
                  (after, frames) ->
                      plan.answer().of(box -> box == first ? after : box.ledger().state(), frames));
            });
  }

  private static void requireTogether(LogMailbox one, LogMailbox other) {
    if (!areTogether(one, other)) {
      throw RalphException.invalid(
          "cannot send a mail to both "
              + RalphException.quote(one.name())
              + " and "
              + RalphException.quote(other.name())
              + ": a session's inbox has a separate order in the log; send the mail to each");
    }
  }

  static boolean areTogether(LogMailbox one, LogMailbox other) {
    return one.topic().scope().equals(other.topic().scope());
  }

  @Override
  public String toString() {
    return "mail of " + project;
  }
}
