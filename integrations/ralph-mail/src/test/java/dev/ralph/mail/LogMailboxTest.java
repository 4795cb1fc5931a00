package dev.ralph.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.domain.Priority;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Fold;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.mail.Mail.State;
import dev.ralph.test.ManualClock;
import dev.ralph.tool.AgentTools;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the features of log mailboxes beyond those of every mailbox: sessions, listings, frames.
 */
class LogMailboxTest {

  private static final Duration LEASE = Duration.ofMinutes(5);

  private final ManualClock clock = ManualClock.at("2026-03-01T10:00:00Z");
  private final Ralph ralph = Ralph.builder().store("memory").clock(clock).open();
  private final Mailboxes mail = Mailboxes.of(ralph, "shop");
  private final Session session = ralph.session("auth");

  @AfterEach
  void close() {
    ralph.close();
  }

  private static NewMail hello(String... to) {
    return NewMail.of("hello").to(to);
  }

  @Test
  void leaseFromFutureClock_isNotKept() {
    mail.box("ann").send(hello("bob"));
    clock.advance(Duration.ofDays(1));
    Received first = mail.box("bob").receive(LEASE).orElseThrow();
    assertThat(first.mail().state()).isEqualTo(State.RECEIVED);
    clock.set(Instant.parse("2026-03-01T10:00:00Z"));

    Received second = mail.box("bob").receive(LEASE).orElseThrow();
    assertThat(second.mail().id()).isEqualTo(first.mail().id());
    assertThatThrownBy(first::ack).hasMessageContaining("a later receiver holds the message");
    assertThat(second.ack().state()).isEqualTo(State.READ);
  }

  @Test
  void clockSetBack_keepsReceivedMail() {
    mail.box("ann").send(hello("bob"));
    Received received = mail.box("bob").receive(LEASE).orElseThrow();
    clock.set(Instant.parse("2026-03-01T09:59:59.800Z"));

    assertThat(received.ack().state()).isEqualTo(State.READ);
  }

  @Test
  void unattendedBox_isListedAsOrphaned() {
    mail.box("ann").send(hello("bob", "bod/y"));
    mail.box("ann").send(hello("bob"));
    mail.box("bob").receive(LEASE).orElseThrow().ack();
    mail.box("dora").receive(LEASE);
    assertThat(mail.boxes())
        .extracting(Mailbox.Listed::toString)
        .containsExactly(
            "bob: 1 of 2 unread", "bod/y: 1 of 1 unread (orphaned)", "dora: 0 of 0 unread");
    assertThat(Mailboxes.of(ralph, "other").boxes()).isEmpty();
  }

  @Test
  void boxWithCollectedAnswer_isNotOrphaned() throws Exception {
    Mailbox ann = mail.box("ann");
    NewMail question = hello("bob").key("once");
    assertThat(ann.ask(question, Duration.ofMillis(20))).isEmpty();
    mail.box("bob").receive(LEASE).orElseThrow().reply("ten");
    assertThat(ann.ask(question, LEASE)).isPresent();
    assertThat(mail.boxes())
        .extracting(Mailbox.Listed::toString)
        .containsExactly("ann: 0 of 1 unread", "bob: 0 of 1 unread");
  }

  @Test
  void anonymousSender_cannotBeAnswered() {
    mail.send(hello("bob"));
    Received received = mail.box("bob").receive(LEASE).orElseThrow();
    assertThat(received.mail().from()).isNull();
    assertThatThrownBy(() -> received.reply("thanks")).hasMessageContaining("has no sender");
    assertThatThrownBy(() -> mail.send(hello("bob").replyTo("m1")))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("give the full id");
    String id = received.mail().id();
    assertThat(mail.send(hello("bob").replyTo(id)).get(0).replyTo()).isEqualTo(id);
    received.ack();
  }

  /**
   * The first dispatch contains both the questions and the answers, the second only the answers.
   */
  @Test
  void answersUnderEqualKey_matchTheirSender() {
    Ledger<Boolean> ledger =
        ralph.ledger(mail.topic("why"), Fold.of("test", () -> true, (s, frame) -> {}, s -> s));
    Dispatch<String> questions =
        Dispatch.of("")
            .with("ann", hello("dora").key("k"))
            .with("bob", hello("dora").key("k"))
            .with(null, hello("dora").key("k"));
    String first = mail.dispatch("asking", ledger, (state, now) -> answered(questions));
    String again = mail.dispatch("again", ledger, (state, now) -> answered(Dispatch.of("again")));
    assertThat(first + again).isEqualTo("again");
    List<Mail> asked = mail.box("dora").history();
    assertThat(asked).extracting(Mail::from).containsExactly("ann", "bob", null);
    for (String name : List.of("ann", "bob")) {
      String id = asked.get("ann".equals(name) ? 0 : 1).commonId();
      assertThat(mail.box(name).history()).extracting(Mail::replyTo).containsExactly(id, id);
    }
  }

  private static Dispatch<String> answered(Dispatch<String> dispatch) {
    return dispatch
        .withAnswer("dora", hello("ann"), "dora", "k")
        .withAnswer("dora", hello("bob"), "dora", "k");
  }

  @Test
  void mailToSession_isDeliveredToRunningAgent() {
    mail.box("ann").send(hello("session:auth"));
    assertThat(session.inbox().unread()).extracting(Message::by).containsExactly("ann");
    AgentInbox.Call first = new AgentInbox.Call("agent", "1", Set.of());
    assertThat(AgentInbox.of(session).deliver(first, LEASE))
        .extracting(AgentInbox.Delivery::message)
        .extracting(Message::text)
        .containsExactly("hello");
    assertThat(mail.session("auth").receive(LEASE)).as("delivered to the agent").isEmpty();
    AgentInbox.of(session)
        .acknowledge(
            new AgentInbox.Call("agent", "2", Set.of("1")),
            List.of(session.inbox().get("m1").id()));
    assertThat(mail.session("auth").history()).extracting(Mail::state).containsExactly(State.READ);
  }

  @Test
  void mail_isDistinguishedFromOperatorMessage() {
    session.inbox().send(NewMessage.of("Stop at once").by("carl"));
    mail.box("ann").send(hello("session:auth").headline("A\nquestion"));
    mail.box("THE OPERATOR").send(hello("session:auth"));
    mail.box("ann").send(hello("session:auth"));
    mail.send(hello("session:auth"));
    try (AgentTools tools = session.openTools()) {
      assertThat(tools.messages().replaceAll("\\[\\w+] 2026-[-+.:0-9TZ]*[0-9Z]", "ID"))
          .startsWith(
              """
              ## MESSAGES FROM THE OPERATOR (sent while you work: take this into account now)
              - ID carl: Stop at once
              - ID: hello

              ## MESSAGES FROM ann, by mail (sent while you work)
              - ID mail from ann: A …: hello
              - ID mail from ann: hello

              ## MESSAGE FROM THE OPERATOR, by mail (sent while you work)
              - ID mail from THE OPERATOR: hello
              """);
    }
    List<String> prompts = new ArrayList<>();
    session
        .loop(
            turn -> {
              prompts.add(turn.prompt().replaceAll("\\[\\w+] 2026-[-+.:0-9TZ]*[0-9Z]", "ID"));
              return AgentResult.success();
            })
        .maxIterations(1)
        .run();
    assertThat(prompts.get(0))
        .contains("\n- ID: Stop at once\n- ID mail from ann: A …: hello\n- ID mail from THE");
    Session fork = session.fork("other");
    assertThat(fork.inbox().history())
        .extracting(Message::isFromBox)
        .containsExactly(false, true, true, true, false);
    assertThat(fork.inbox().get("m2").headline()).isEqualTo("A\nquestion");
  }

  @Test
  void fork_copiesMailWithAllFields() {
    mail.box("ann")
        .send(
            hello("session:auth")
                .type("alarm")
                .tags(List.of("x"))
                .priority(Priority.HIGH)
                .deadline(clock.instant().plusSeconds(60)));

    Session fork = session.fork("other");

    Mail mine = mail.session("auth").history().get(0);
    Mail copy = mail.session("other").history().get(0);
    assertThat(copy.type()).isEqualTo("alarm");
    assertThat(copy.tags()).containsExactly("x");
    assertThat(copy.priority()).isEqualTo(Priority.HIGH);
    assertThat(copy.deadline()).isNotNull().isEqualTo(mine.deadline());
    clock.advance(Duration.ofSeconds(61));
    assertThat(fork.inbox().unread()).isEmpty();
  }

  /** Other programs may write more precise times. */
  @Test
  void deadline_isTruncatedToMilliseconds() {
    Topic box = Topic.of("ralph.auth.inbox");
    Meta meta = Meta.of("status", "unread").with("deadline", "2026-03-01T10:00:01.123456Z");
    ralph.append(box, meta, "hello");

    assertThat(mail.session("auth").history())
        .extracting(Mail::deadline)
        .containsExactly(Instant.parse("2026-03-01T10:00:01.123Z"));
  }

  @Test
  void messageToSession_isReceivableAsMail() {
    session.inbox().send("do the API first");
    Received received = mail.session("auth").receive(LEASE).orElseThrow();
    assertThat(received.mail().text()).isEqualTo("do the API first");
    AgentInbox.Call call = new AgentInbox.Call("agent", "1", Set.of());
    assertThat(AgentInbox.of(session).deliver(call, LEASE)).isEmpty();
    received.ack();
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void replyToSessionMail_isSentOnceAndAcknowledges() throws Exception {
    mail.box("ann").send(hello("session:auth"));
    Received received = mail.session("auth").receive(LEASE).orElseThrow();
    received.reply("good day");
    assertThat(session.inbox().unread()).isEmpty();
    Mail answer = mail.box("ann").receive(LEASE).orElseThrow().mail();
    assertThat(answer.from()).isEqualTo("session:auth");
    assertThat(answer.replyTo()).isEqualTo(received.mail().id());
    assertThatThrownBy(() -> received.reply("once more")).hasMessageContaining("already read");
    assertThat(mail.box("ann").history()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"ann, session:auth", "session:auth, ann", "session:auth, session:doc"})
  void askWithSession_returnsAnswerToAskerOnly(String asker, String asked) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      for (int way = 0; way < 3; way++) {
        Future<Optional<Mail>> asking =
            other.submit(() -> mail.box(asker).ask(hello(asked), LEASE));
        Received question = mail.box(asked).receive(LEASE, LEASE).orElseThrow();
        String ref = question.mail().ref();
        if (way == 0) {
          question.reply("good day");
        } else if (way == 1) {
          mail.box(asked).reply(ref, null, NewMail.of("good day"));
        } else {
          mail.box(asked).send(NewMail.of("good day").to(asker).replyTo(ref));
        }
        assertThat(mail.box(asker).receive(LEASE)).isEmpty();
        assertThat(asking.get(60, TimeUnit.SECONDS)).map(Mail::text).contains("good day");
      }
      assertThat(mail.box(asker).unread()).isEmpty();
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void mailToDifferentScopes_isRejected() {
    assertThatThrownBy(() -> mail.box("ann").send(hello("bob", "session:auth")))
        .hasMessageContaining("cannot send a mail to both 'bob' and 'session:auth'");
    assertThatThrownBy(() -> mail.box("session:a b")).hasMessageContaining("session name");
    assertThat(mail.boxes()).isEmpty();
  }

  @Test
  void expiredMail_isNotShownAndDoesNotBlock() {
    mail.send(hello("session:auth").deadline(clock.instant().plusSeconds(60)));
    clock.advance(Duration.ofMinutes(1));
    assertThat(session.inbox().unread()).isEmpty();
    assertThat(AgentInbox.of(session).deliver(new AgentInbox.Call("agent", "1", Set.of()), LEASE))
        .isEmpty();
    assertThat(session.inbox().history()).extracting(Message::isExpired).containsExactly(true);
    session.control().complete();
  }

  @Test
  void mailFrames_matchMessageFrames() {
    mail.box("ann").send(hello("bob"));
    assertThat(last("bob"))
        .isEqualTo(
            "{\"status\":\"unread\",\"timestamp\":\"2026-03-01T10:00:00Z\",\"n\":1,\"by\":\"ann\"}");
    mail.box("ann")
        .send(
            hello("bob")
                .type("review")
                .headline("The API")
                .priority(Priority.HIGH)
                .tags(List.of("a"))
                .deadline(clock.instant().plusSeconds(1))
                .key("k"));
    assertThat(last("bob"))
        .isEqualTo(
            "{\"status\":\"unread\",\"timestamp\":\"2026-03-01T10:00:00Z\",\"n\":2,\"by\":\"ann\","
                + "\"key\":\"k\",\"type\":\"review\",\"headline\":\"The API\",\"priority\":\"high\","
                + "\"tags\":[\"a\"],\"deadline\":\"2026-03-01T10:00:01Z\"}");
  }

  private String last(String box) {
    TopicFilter topic = TopicFilter.of(Topic.of("mail.shop." + box));
    return ralph.log().last(topic).orElseThrow().meta().json();
  }

  @Test
  void invalidFields_areIgnored() {
    Topic topic = Topic.of("mail.shop.bob");
    ralph.append(
        topic,
        Meta.of("status", "unread").with("priority", "dire").with("deadline", "soon").with("to", 7),
        "odd");
    ralph.append(topic, Meta.of("action", "renew").with("id", "x"), "");
    ralph.append(topic, Meta.of("action", "expire").with("ids", List.of("x")), "");
    ralph.append(topic, Meta.of("action", "release").with("claim", "x"), "");
    Mail odd = mail.box("bob").receive(LEASE).orElseThrow().mail();
    assertThat(odd.priority()).isEqualTo(Priority.NORMAL);
    assertThat(odd.deadline()).isNull();
  }

  @Test
  void unpairedSurrogate_isRejectedWithField() {
    Mailbox ann = mail.box("ann");
    String half = "x\ud800";
    List<Supplier<NewMail>> mails =
        List.of(
            () -> NewMail.of(half).to("bob"),
            () -> hello("bob").headline(half),
            () -> hello("bob").tags(List.of("a", half)),
            () -> hello("bob").type(half),
            () -> hello("bob").key(half),
            () -> hello(half));
    List<String> names =
        List.of(
            "the text of a mail",
            "a headline",
            "a tag",
            "a type",
            "the key of a mail",
            "the box name");
    for (int i = 0; i < names.size(); i++) {
      Supplier<NewMail> mail = mails.get(i);
      assertThatThrownBy(() -> ann.send(mail.get()))
          .hasMessage(names.get(i) + " holds an unpaired surrogate at character 1");
    }
    assertThat(mail.boxes()).isEmpty();
  }

  @Test
  void closedStore_endsEveryWait() throws Exception {
    Mailbox ann = mail.box("ann");
    List<Callable<?>> waits =
        List.of(
            () -> ann.receive(LEASE, LEASE),
            () -> ann.await(0, LEASE),
            () -> ann.ask(hello("bob"), LEASE));
    ExecutorService others = Executors.newFixedThreadPool(waits.size());
    try {
      List<Future<?>> waiting = new ArrayList<>();
      for (Callable<?> wait : waits) {
        waiting.add(others.submit(wait));
      }
      // At least the wait for the sent mail has begun.
      assertThat(mail.box("bob").receive(LEASE, LEASE)).isPresent();
      ralph.close();
      for (Future<?> one : waiting) {
        assertThatThrownBy(() -> one.get(1, TimeUnit.MINUTES))
            .hasCauseInstanceOf(ClosedException.class)
            .hasMessageContaining("store was closed");
      }
    } finally {
      others.shutdownNow();
    }
  }

  @Test
  void unknownMail_isNamedWithExistingMail() {
    mail.box("ann").send(NewMail.of("one").to("bob"));
    mail.box("ann").send(NewMail.of("two").to("bob"));
    mail.box("bob").receive(LEASE).orElseThrow().ack();
    assertThatThrownBy(() -> mail.box("bob").get("m7"))
        .hasMessageStartingWith("there is no mail 'm7'; ")
        .hasMessageEndingWith("there are m1 (read), m2 'two'");
    assertThatThrownBy(() -> session.inbox().markRead("m7"))
        .hasMessageContaining("there is no message 'm7'");
  }

  @Test
  void negativeCount_isRejected() {
    assertThatThrownBy(() -> mail.box("ann").await(-1, Duration.ZERO))
        .isInstanceOf(RalphException.class)
        .hasMessageContaining("must not be negative: -1");
  }

  @Test
  void headlineTypeAndTag_haveMaximumLength() {
    Mailbox ann = mail.box("ann");
    assertThatThrownBy(() -> ann.send(hello("bob").type(" "))).hasMessageContaining("a type");
    assertThatThrownBy(() -> ann.send(hello("bob").headline("x".repeat(501))))
        .hasMessageContaining("a headline must have at most 500 characters, not 501");
    assertThatThrownBy(() -> ann.send(hello("bob").tags(List.of("x".repeat(201)))))
        .hasMessageContaining("a tag");
    assertThatThrownBy(() -> ann.send(hello("n\u00e4".repeat(50))))
        .hasMessageContaining("too long");
    assertThat(mail.boxes()).isEmpty();
  }
}
