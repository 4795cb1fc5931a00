package dev.ralph.mail;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.ralph.domain.Priority;
import dev.ralph.log.RalphException;
import dev.ralph.log.RalphException.Code;
import dev.ralph.mail.Mail.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests for every kind of mailbox. A subclass lists the unsupported features, which the mailbox
 * must reject with UNSUPPORTED.
 */
public abstract class MailboxConformance {

  static final Duration LEASE = Duration.ofMinutes(5);
  static final Duration LONG = Duration.ofMinutes(2);
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** Features that a kind of mailbox may not support. */
  protected enum Feature {
    SEVERAL_RECIPIENTS,
    ANY_NAME,
    TYPE,
    REPLY_TO,
    HEADLINE,
    PRIORITY,
    TAGS,
    DEADLINE,
    KEY,
    LEASES,
    REPLIES
  }

  /** Creates empty boxes before each test. */
  protected abstract void open() throws Exception;

  /** Returns the box with a name; callable several times for a name. */
  protected abstract Mailbox box(String name);

  /** Advances the clock of leases and deadlines. */
  protected abstract void later(Duration time);

  /** Returns the current time of the boxes. */
  protected abstract Instant now();

  /** Closes the resources of {@link #open}. */
  protected abstract void close() throws Exception;

  /** Returns the unsupported features. */
  protected Set<Feature> unsupported() {
    return Set.of();
  }

  /** Returns whether a box can have this name. */
  protected boolean isHeld(String name) {
    return true;
  }

  private final ExecutorService others = Executors.newCachedThreadPool();

  @BeforeEach
  final void openBoxes() throws Exception {
    open();
  }

  @AfterEach
  final void closeBoxes() throws Exception {
    others.shutdownNow();
    assertThat(others.awaitTermination(30, SECONDS)).as("all threads ended").isTrue();
    close();
  }

  /** Returns whether the boxes support a feature; otherwise checks that they reject its use. */
  private boolean can(Feature feature, ThrowingCallable use) {
    if (!unsupported().contains(feature)) {
      return true;
    }
    refuses(Code.UNSUPPORTED, use);
    return false;
  }

  private static void refuses(Code code, ThrowingCallable use, String... words) {
    assertThatThrownBy(use)
        .isInstanceOfSatisfying(
            RalphException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(List.of(words)).allMatch(e.getMessage()::contains, e.getMessage());
            });
  }

  private Received receive(String box) {
    return box(box).receive(LEASE).orElseThrow();
  }

  private static NewMail mail(String text) {
    return NewMail.of(text).to("bob");
  }

  private List<String> unread(String box) {
    return box(box).unread().stream().map(Mail::text).toList();
  }

  // ---- sending and receiving

  @Test
  void mail_isReceivedOnceOldestFirst() {
    assertThat(box("bob").receive(LEASE)).isEmpty();
    Mail sent = box("ann").send(mail("one")).get(0);
    box("ann").send(mail("two"));
    assertThat(sent.box()).isEqualTo("bob");

    Received first = receive("bob");
    assertThat(first.mail().id()).isEqualTo(sent.id());
    assertThat(first.mail().from()).isEqualTo("ann");
    assertThat(first.mail().text()).isEqualTo("one");
    assertThat(first.isRedelivery()).isFalse();
    first.ack();
    Received second = receive("bob");
    assertThat(second.mail().text()).isEqualTo("two");
    second.ack();
    assertThat(box("bob").receive(LEASE)).isEmpty();
    assertThat(unread("bob")).isEmpty();
    assertThat(box("bob").history()).extracting(Mail::text).containsExactly("one", "two");
    assertThat(box("bob").history()).extracting(Mail::state).containsOnly(State.READ);
  }

  @Test
  void mail_isFoundByIdAndReference() {
    Mail sent = box("ann").send(mail("one")).get(0);
    box("ann").send(mail("two"));
    assertThat(box("bob").get(sent.id()).text()).isEqualTo("one");
    assertThat(box("bob").get(sent.ref()).id()).isEqualTo(sent.id());
    refuses(Code.NOT_FOUND, () -> box("bob").get("zzzzzzzzzz"), "zzzzzzzzzz");
    refuses(Code.NOT_FOUND, () -> box("carl").get(sent.id()));
    refuses(Code.NOT_FOUND, () -> box("bob").ack("zzzzzzzzzz", "token"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n\t", "half a character: \ud800", "\udc00\ud800"})
  void invalidText_isRejectedWithoutLoss(String text) {
    box("ann").send(mail("before"));
    refuses(Code.INVALID, () -> box("ann").send(mail(text)));
    assertThat(unread("bob")).containsExactly("before");
  }

  @Test
  void anyValidText_isKeptUnchanged() {
    List<String> texts =
        List.of(
            "two\nlines\r\n\n",
            " \u0000\u0001\u001b[31m\u007f\u0085\u2028\u2029 ",
            "\ud83d\ude00 \u202eright to left",
            "{\"quoted\":\"\\u0000\"}",
            "x".repeat(16 << 20));
    texts.forEach(text -> box("ann").send(mail(text)));
    for (String text : texts) {
      Received received = receive("bob");
      assertThat(received.mail().text().equals(text)).as(received.mail().beginning(20)).isTrue();
      assertThat(received.mail().length()).isEqualTo(text.length());
      received.ack();
    }
    assertThat(box("bob").get(box("bob").history().get(0).id()).beginning(3)).isEqualTo("two");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with blanks",
        "a.b",
        "a/b",
        "..",
        "-x",
        "--x",
        "--",
        "_5f",
        "é",
        "\ud83d\ude00",
        "a:b"
      })
  void box_acceptsAnyName(String name) {
    if (isHeld(name)
        || can(Feature.ANY_NAME, () -> box("ann").send(NewMail.of("hello").to(name)))) {
      box(name).send(NewMail.of("hello").to(name));
      Received received = receive(name);
      assertThat(received.mail().box()).isEqualTo(name);
      assertThat(received.mail().from()).isEqualTo(name);
      assertThat(received.mail().to()).containsExactly(name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n", "half \ud800"})
  void invalidBoxName_isRejected(String name) {
    refuses(Code.INVALID, () -> box("ann").send(NewMail.of("hello").to(name)));
  }

  @Test
  void mailWithoutRecipient_isRejected() {
    refuses(Code.INVALID, () -> box("ann").send(NewMail.of("hello")), "needs a recipient");
  }

  @Test
  void eachRecipient_getsOwnCopy() {
    NewMail mail = NewMail.of("to all").to("bob", "carl", "bob");
    if (!can(Feature.SEVERAL_RECIPIENTS, () -> box("ann").send(mail))) {
      return;
    }
    List<Mail> copies = box("ann").send(mail);
    assertThat(copies).extracting(Mail::box).containsExactly("bob", "carl");
    assertThat(copies.get(0).commonId()).isEqualTo(copies.get(1).commonId());
    receive("bob").ack();
    assertThat(unread("bob")).isEmpty();
    assertThat(unread("carl")).containsExactly("to all");
    assertThat(receive("carl").mail().to()).containsExactly("bob", "carl");
  }

  @Test
  void invalidRecipient_rejectsWholeMail() {
    if (unsupported().contains(Feature.SEVERAL_RECIPIENTS)) {
      return;
    }
    refuses(Code.INVALID, () -> box("ann").send(NewMail.of("x").to("bob", " ")));
    refuses(Code.INVALID, () -> box("ann").send(NewMail.of(" ").to("bob", "carl")));
    assertThat(unread("bob")).isEmpty();
  }

  // ---- fields besides the text

  @Test
  void mail_keepsTypeHeadlineAndTags() {
    NewMail plain = mail("see above");
    boolean type = can(Feature.TYPE, () -> box("ann").send(plain.type("review")));
    boolean headline = can(Feature.HEADLINE, () -> box("ann").send(plain.headline("The API")));
    boolean tags = can(Feature.TAGS, () -> box("ann").send(plain.tags(List.of("a", "b c"))));
    String elsewhere = "03f1z8a0000000000000000ab";
    boolean replyTo = can(Feature.REPLY_TO, () -> box("ann").send(plain.replyTo(elsewhere)));
    box("ann")
        .send(
            plain
                .type(type ? "review" : null)
                .headline(headline ? "The API" : null)
                .tags(tags ? List.of("a", "b c") : List.of())
                .replyTo(replyTo ? elsewhere : null));
    Mail mail = receive("bob").mail();
    assertThat(mail.type()).isEqualTo(type ? "review" : null);
    assertThat(mail.headline()).isEqualTo(headline ? "The API" : null);
    assertThat(mail.tags()).isEqualTo(tags ? List.of("a", "b c") : List.of());
    assertThat(mail.replyTo()).isEqualTo(replyTo ? elsewhere : null);
    assertThat(mail.priority()).isEqualTo(Priority.NORMAL);
  }

  @Test
  void mail_isReceivedByPriorityThenAge() {
    NewMail urgent = mail("high 1").priority(Priority.HIGH);
    if (!can(Feature.PRIORITY, () -> box("ann").send(urgent))) {
      return;
    }
    box("ann").send(mail("low").priority(Priority.LOW));
    box("ann").send(mail("normal 1"));
    box("ann").send(urgent);
    box("ann").send(mail("normal 2"));
    box("ann").send(mail("high 2").priority(Priority.HIGH));
    List<String> got = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Received received = receive("bob");
      got.add(received.mail().text());
      if (i % 2 == 0) {
        received.ack(); // a lease does not change the order
      }
    }
    assertThat(got).containsExactly("high 1", "high 2", "normal 1", "normal 2", "low");
  }

  @Test
  void mailPastDeadline_isNotReceived() {
    NewMail soon = mail("soon").deadline(now().plus(Duration.ofMinutes(1)));
    if (!can(Feature.DEADLINE, () -> box("ann").send(soon))) {
      return;
    }
    Mail sent = box("ann").send(soon).get(0);
    box("ann").send(mail("whenever"));
    later(Duration.ofMinutes(1));
    assertThat(unread("bob")).containsExactly("whenever");
    assertThat(box("bob").get(sent.id()).state()).isEqualTo(State.EXPIRED);
    assertThat(receive("bob").mail().text()).isEqualTo("whenever");
    assertThat(box("bob").get(sent.id()).state()).isEqualTo(State.EXPIRED);
    assertThat(box("bob").history()).extracting(Mail::text).containsExactly("soon", "whenever");
    refuses(Code.INVALID, () -> box("ann").send(soon), "deadline");
  }

  @Test
  void deadline_mustBeFutureAndBeforeYear10000() {
    if (unsupported().contains(Feature.DEADLINE)) {
      return;
    }
    Instant latest = Instant.parse("9999-12-31T23:59:59.999Z");
    for (Instant later : List.of(latest.plusMillis(1), Instant.MAX)) {
      refuses(Code.INVALID, () -> box("ann").send(mail("x").deadline(later)), "year 10000");
      refuses(
          Code.INVALID, () -> box("ann").ask(mail("x").deadline(later), LONG), "omit the deadline");
    }
    refuses(Code.INVALID, () -> box("ann").send(mail("x").deadline(Instant.MIN)), "is past");
    assertThat(unread("bob")).isEmpty();
    assertThat(box("ann").send(mail("x").deadline(latest)).get(0).deadline()).isEqualTo(latest);
  }

  @Test
  void mailReceivedBeforeDeadline_isAcknowledged() {
    if (unsupported().contains(Feature.DEADLINE) || unsupported().contains(Feature.LEASES)) {
      return;
    }
    box("ann").send(mail("soon").deadline(now().plus(Duration.ofMinutes(1))));
    Received received = receive("bob");
    later(Duration.ofMinutes(2));
    assertThat(received.ack().state()).isEqualTo(State.READ);
  }

  @Test
  void mailOfDeadReceiver_expiresAfterDeadline() {
    if (unsupported().contains(Feature.DEADLINE) || unsupported().contains(Feature.LEASES)) {
      return;
    }
    box("ann").send(mail("soon").deadline(now().plus(Duration.ofMinutes(1))));
    Received dead = receive("bob");
    later(LEASE.minusMillis(1));
    assertThat(box("bob").get(dead.mail().id()).state()).isEqualTo(State.RECEIVED);
    later(Duration.ofMillis(1));
    assertThat(box("bob").receive(LEASE)).isEmpty();
    assertThat(box("bob").get(dead.mail().id()).state()).isEqualTo(State.EXPIRED);
    refuses(Code.INVALID, dead::ack, "the message has expired");
  }

  @Test
  void key_isUniquePerSenderAndBox() {
    NewMail keyed = mail("once").key("k");
    if (!can(Feature.KEY, () -> box("ann").send(keyed))) {
      return;
    }
    String id = box("ann").send(keyed).get(0).id();
    receive("bob").ack();
    assertThat(box("ann").send(mail("other").key("k"))).extracting(Mail::id).containsExactly(id);
    assertThat(unread("bob")).isEmpty();
    box("carl").send(mail("of carl").key("k"));
    box("carl").send(mail("again").key("k"));
    assertThat(unread("bob")).containsExactly("of carl");
    box("ann").send(keyed.to("carl"));
    assertThat(unread("carl")).containsExactly("once");
    refuses(Code.INVALID, () -> box("ann").send(keyed.key(" ")), "key");
  }

  // ---- leases

  @Test
  void deadReceiver_releasesMailAfterLease() {
    if (unsupported().contains(Feature.LEASES)) {
      return;
    }
    box("ann").send(mail("work"));
    Received dead = receive("bob");
    assertThat(dead.mail().state()).isEqualTo(State.RECEIVED);
    assertThat(box("bob").receive(LEASE)).isEmpty();
    later(LEASE.minusMillis(1));
    assertThat(box("bob").receive(LEASE)).isEmpty();
    later(Duration.ofMillis(1));

    refuses(Code.INVALID, dead::ack, "the lease expired");
    Received next = receive("bob");
    assertThat(next.isRedelivery()).isTrue();
    refuses(Code.INVALID, dead::ack, "a later receiver holds the message");
    refuses(Code.INVALID, dead::release, "a later receiver");
    refuses(Code.INVALID, () -> dead.renew(LEASE), "a later receiver");
    next.ack();
    refuses(Code.INVALID, dead::ack, "the message is already read");
    refuses(Code.INVALID, next::ack, "the message is already read");
  }

  @Test
  void unknownToken_isRejectedAsUnknown() {
    if (unsupported().contains(Feature.LEASES)) {
      return;
    }
    box("ann").send(mail("one"));
    box("ann").send(mail("two"));
    Received one = receive("bob");
    Received two = receive("bob");
    String id = one.mail().id();
    for (String token : List.of("wrong", "", two.token(), two.mail().id(), id)) {
      refuses(Code.INVALID, () -> box("bob").ack(id, token), "the token does not belong to m1");
      refuses(Code.INVALID, () -> box("bob").release(id, token), "the token does not belong to m1");
      refuses(Code.INVALID, () -> box("bob").renew(id, token, LEASE), "does not belong to m1");
      refuses(
          Code.INVALID,
          () -> box("bob").reply(id, token, NewMail.of("x")),
          "does not belong to m1");
    }
    one.release();
    Received again = receive("bob");
    refuses(Code.INVALID, one::ack, "a later receiver holds the message");
    again.ack();
  }

  @Test
  void mail_isReleasedOrRenewed() {
    if (unsupported().contains(Feature.LEASES)) {
      return;
    }
    box("ann").send(mail("work"));
    Received first = receive("bob");
    assertThat(first.release().state()).isEqualTo(State.WAITING);
    refuses(Code.INVALID, first::ack, "the message was released");
    Received second = receive("bob");
    later(LEASE.minusSeconds(1));
    Received renewed = second.renew(LEASE);
    assertThat(renewed.token()).isEqualTo(second.token());
    later(LEASE.minusSeconds(1));
    assertThat(box("bob").receive(LEASE)).isEmpty();
    second.ack();
    assertThat(unread("bob")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT721H", "PT9223372036854775807S"})
  void invalidLease_isRejected(String lease) {
    refuses(Code.INVALID, () -> box("bob").receive(Duration.parse(lease)));
  }

  // ---- waiting and concurrency

  @Test
  void waitingReceiver_isWokenByMail() throws Exception {
    Future<Optional<Received>> waiting = others.submit(() -> box("bob").receive(LEASE, LONG));
    box("ann").send(mail("at last"));
    assertThat(waiting.get(60, SECONDS))
        .get()
        .extracting(r -> r.mail().text())
        .isEqualTo("at last");
    assertThat(box("bob").receive(LEASE, Duration.ofMillis(20))).isEmpty();
  }

  @Test
  void receiver_mayWaitForever() throws Exception {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    Future<Optional<Received>> waiting = others.submit(() -> box("bob").receive(LEASE, forEver));
    assertThatThrownBy(() -> waiting.get(100, MILLISECONDS)).isInstanceOf(TimeoutException.class);
    box("ann").send(mail("at last"));
    assertThat(waiting.get(60, SECONDS)).isPresent();
  }

  @Test
  void concurrentReceivers_getEachMailOnce() throws Exception {
    int receivers = 8;
    int each = 25;
    for (int i = 0; i < receivers * each; i++) {
      box("ann").send(mail("mail " + i));
    }
    List<Callable<List<String>>> work = new ArrayList<>();
    for (int i = 0; i < receivers; i++) {
      work.add(
          () -> {
            List<String> got = new ArrayList<>();
            while (got.size() < each) {
              Received received = box("bob").receive(LEASE, LONG).orElseThrow();
              got.add(received.mail().text());
              received.ack();
            }
            return got;
          });
    }
    List<String> got = new ArrayList<>();
    for (Future<List<String>> one : others.invokeAll(work)) {
      got.addAll(one.get());
    }
    assertThat(new TreeSet<>(got)).as("distinct mails").hasSize(receivers * each);
    assertThat(unread("bob")).isEmpty();
  }

  // ---- questions and answers

  @Test
  void reply_isSentToSenderAndAcknowledges() {
    box("ann").send(mail("how much?"));
    Received question = receive("bob");
    if (!can(Feature.REPLIES, () -> question.reply("ten"))) {
      return;
    }
    Mail answer = question.reply("ten");
    assertThat(answer.box()).isEqualTo("ann");
    assertThat(answer.replyTo()).isEqualTo(question.mail().id());
    assertThat(unread("bob")).isEmpty();
    assertThat(receive("ann").mail().text()).isEqualTo("ten");
    refuses(Code.INVALID, () -> question.reply("again"), "the message is already read");
    assertThat(unread("ann")).as("nothing sent by the rejected reply").containsExactly("ten");
    assertThat(box("bob").reply(question.mail().id(), null, NewMail.of("or nine")).box())
        .isEqualTo("ann");
    refuses(
        Code.INVALID,
        () -> box("bob").reply(question.mail().id(), null, NewMail.of("x").to("carl")),
        "recipients");
  }

  @Test
  void replyTo_acceptsAnyReferenceOfSenderBox() {
    if (unsupported().contains(Feature.REPLY_TO)) {
      return;
    }
    Mail asked = box("ann").send(mail("how much?")).get(0);
    List<String> refs = List.of(asked.ref(), asked.id(), asked.id().substring(0, 24));
    for (String ref : refs) {
      Mail sent = box("bob").send(NewMail.of("ten").to("ann").replyTo(ref)).get(0);
      assertThat(sent.replyTo()).as(ref).isEqualTo(asked.id());
    }
    assertThat(box("bob").thread(asked.ref())).hasSize(1 + refs.size());

    for (String none : List.of("m7", "nope", "")) {
      NewMail lost = NewMail.of("x").to("ann").replyTo(none);
      refuses(Code.NOT_FOUND, () -> box("bob").send(lost), "how much?", "full id");
    }
    refuses(Code.NOT_FOUND, () -> box("carl").send(mail("x").replyTo(asked.ref())), asked.ref());
    assertThat(unread("ann")).containsExactly("ten", "ten", "ten");
  }

  @Test
  void ask_returnsAnswerToAskerOnly() throws Exception {
    if (!can(Feature.REPLIES, () -> box("ann").ask(mail("x"), LONG))) {
      return;
    }
    Future<Optional<Mail>> asking = others.submit(() -> box("ann").ask(mail("how much?"), LONG));
    Received question = box("bob").receive(LEASE, LONG).orElseThrow();
    assertThat(question.mail().awaitedUntil()).isEqualTo(now().plus(LONG));
    question.reply("ten");
    assertThat(box("ann").receive(LEASE)).isEmpty();
    assertThat(asking.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
    assertThat(unread("ann")).isEmpty();
  }

  @Test
  void answer_mayBeMailWithReplyTo() throws Exception {
    if (unsupported().contains(Feature.REPLIES) || unsupported().contains(Feature.REPLY_TO)) {
      return;
    }
    Future<Optional<Mail>> asking = others.submit(() -> box("ann").ask(mail("how much?"), LONG));
    Received question = box("bob").receive(LEASE, LONG).orElseThrow();
    box("bob").send(NewMail.of("ten").to("ann", "carl").replyTo(question.mail().ref()));
    assertThat(box("ann").receive(LEASE)).isEmpty();
    assertThat(receive("carl").mail().text()).isEqualTo("ten");
    assertThat(asking.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
  }

  @Test
  void answer_mayComeFromDifferentBox() throws Exception {
    if (unsupported().contains(Feature.REPLIES)
        || unsupported().contains(Feature.REPLY_TO)
        || unsupported().contains(Feature.SEVERAL_RECIPIENTS)) {
      return;
    }
    NewMail toBoth = NewMail.of("how much?").to("bob", "carl");
    Future<Optional<Mail>> asking = others.submit(() -> box("ann").ask(toBoth, LONG));
    Received question = box("bob").receive(LEASE, LONG).orElseThrow();
    box("dan").send(NewMail.of("ten").to("ann").replyTo(question.mail().id()));
    assertThat(asking.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
  }

  @Test
  void lateAnswer_isOrdinaryMail() throws Exception {
    if (unsupported().contains(Feature.REPLIES)) {
      return;
    }
    assertThat(box("ann").ask(mail("how much?"), Duration.ofMillis(20))).isEmpty();
    later(Duration.ofMillis(20));
    receive("bob").reply("ten");
    assertThat(receive("ann").mail().text()).isEqualTo("ten");
    refuses(Code.INVALID, () -> box("ann").ask(mail("x"), Duration.ZERO), "time to wait");
    refuses(Code.INVALID, () -> box("ann").ask(mail("x"), Duration.ofDays(31)), "time to wait");
    assertThat(unread("bob")).isEmpty();
  }

  @Test
  void repeatedAsk_returnsEarlierAnswer() throws Exception {
    if (unsupported().contains(Feature.REPLIES) || unsupported().contains(Feature.KEY)) {
      return;
    }
    NewMail keyed = mail("how much?").key("k");
    assertThat(box("ann").ask(keyed, Duration.ofMillis(20))).isEmpty();
    later(Duration.ofMillis(20));
    receive("bob").reply("ten");
    Optional<Mail> late = assertTimeoutPreemptively(MINUTE, () -> box("ann").ask(keyed, LONG));
    assertThat(late).get().extracting(Mail::text).isEqualTo("ten");
    assertThat(unread("ann")).as("the returned answer is read").isEmpty();

    Optional<Mail> read = assertTimeoutPreemptively(MINUTE, () -> box("ann").ask(keyed, LONG));
    assertThat(read).get().extracting(Mail::text).isEqualTo("ten");
    assertThat(box("bob").history()).hasSize(1);
  }

  @Test
  void repeatedAsk_waitsForOwnTimeout() throws Exception {
    if (unsupported().contains(Feature.REPLIES) || unsupported().contains(Feature.KEY)) {
      return;
    }
    NewMail keyed = mail("how much?").key("k");
    Future<Optional<Mail>> first = others.submit(() -> box("ann").ask(keyed, LONG));
    Received question = box("bob").receive(LEASE, LONG).orElseThrow();
    Optional<Mail> none =
        assertTimeoutPreemptively(MINUTE, () -> box("ann").ask(keyed, Duration.ofMillis(20)));
    assertThat(none).isEmpty();
    Future<Optional<Mail>> second = others.submit(() -> box("ann").ask(keyed, LONG));
    question.reply("ten");
    assertThat(first.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
    assertThat(second.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
  }

  @Test
  void answerHeldElsewhere_isNotTaken() throws Exception {
    if (unsupported().contains(Feature.REPLIES) || unsupported().contains(Feature.KEY)) {
      return;
    }
    NewMail keyed = mail("how much?").key("k");
    box("ann").send(keyed);
    receive("bob").reply("ten");
    Received elsewhere = receive("ann");
    assertThat(box("ann").ask(keyed, Duration.ofMillis(20))).isEmpty();
    Future<Optional<Mail>> again = others.submit(() -> box("ann").ask(keyed, LONG));
    elsewhere.ack();
    assertThat(again.get(60, SECONDS)).get().extracting(Mail::text).isEqualTo("ten");
  }

  @Test
  void answerOfAbandonedAsk_becomesReceivable() throws Exception {
    if (unsupported().contains(Feature.REPLIES)) {
      return;
    }
    Future<Optional<Mail>> asking = others.submit(() -> box("ann").ask(mail("how much?"), LONG));
    Received question = box("bob").receive(LEASE, LONG).orElseThrow();
    asking.cancel(true); // as if the process were killed
    others.shutdown();
    assertThat(others.awaitTermination(60, SECONDS)).isTrue();
    question.reply("ten");
    assertThat(box("ann").receive(LEASE)).isEmpty();
    later(LONG);
    assertThat(receive("ann").mail().text()).isEqualTo("ten");
  }

  @Test
  void thread_containsAllReplies() {
    if (unsupported().contains(Feature.REPLIES)
        || unsupported().contains(Feature.SEVERAL_RECIPIENTS)) {
      return;
    }
    box("ann").send(mail("something else"));
    receive("bob").ack();
    box("ann").send(NewMail.of("1").to("bob", "carl"));
    receive("bob").reply("1.1");
    receive("carl").reply("1.2");
    Received deep = receive("ann");
    receive("ann").ack();
    for (int i = 0; i < 300; i++) {
      deep.reply("deeper");
      deep = receive(i % 2 == 0 ? "bob" : "ann");
    }
    deep.reply("the end");
    List<Mail> thread = box("carl").thread(box("carl").history().get(0).id());
    assertThat(thread).hasSize(2 + 2 + 300 + 1);
    assertThat(thread).extracting(Mail::text).startsWith("1", "1", "1.1", "1.2", "deeper");
    assertThat(thread).extracting(Mail::text).endsWith("the end").doesNotContain("something else");
  }
}
