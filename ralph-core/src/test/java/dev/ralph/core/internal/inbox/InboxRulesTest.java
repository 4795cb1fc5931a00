package dev.ralph.core.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.core.internal.delivery.AgentInbox;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.domain.Lease;
import dev.ralph.log.Decision;
import dev.ralph.log.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of messages, as pure functions without a store. */
class InboxRulesTest {

  private static final Instant NOW = Replay.NOW;
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final String NO_ITERATION = null;

  private static final Topic TOPIC = Topic.of("ralph.test.inbox");

  private final MessageRules rules = new MessageRules(TOPIC);
  private final InboxDecider decider = new InboxDecider(TOPIC, rules);
  private final Replay<?, Messages> log = Replay.reading(MessageFold::new);

  private Message send(String text, String by, String key) {
    return log.append(rules.send(log.state(), NewMessage.of(text).by(by).key(key), NOW));
  }

  private Message markRead(String ref) {
    return log.append(rules.markRead(log.state(), ref, null, 0));
  }

  /** Delivers messages to a reader at a call, and returns the texts. */
  private List<String> shownTo(String reader, String call) {
    return shownTo(reader, call, after());
  }

  private List<String> shownTo(String reader, String call, Set<String> seen) {
    return shownAt(NOW, NO_ITERATION, reader, call, seen);
  }

  /** Delivers messages, and returns the texts; redelivered texts end with an exclamation mark. */
  private List<String> shownAt(
      Instant now, String prompted, String reader, String call, Set<String> seen) {
    AgentInbox.Call by = new AgentInbox.Call(reader, call, seen);
    return log
        .append(decider.deliver(log.state(), by, LEASE, prompted, MessageRecipient.ANY, now))
        .stream()
        .map(delivery -> delivery.message().text() + (delivery.again() ? "!" : ""))
        .toList();
  }

  private static String call(String id) {
    return id;
  }

  /** Returns the earlier calls of the reader whose replies were already sent. */
  private static Set<String> after(String... calls) {
    return Set.of(calls);
  }

  /** Acknowledges messages for a reader, which is then known to have seen them. */
  private boolean acknowledge(String reader, int iteration, String... refs) {
    AgentInbox.Call by = new AgentInbox.Call(reader, "any", Set.of(), iteration);
    List<String> ids = Stream.of(refs).map(ref -> log.state().get(ref).id()).toList();
    return log.append(decider.acknowledge(log.state(), by, ids, 0, NOW));
  }

  private List<Message> unreadMessages() {
    Messages messages = log.state();
    return messages.views(messages.unread(NOW));
  }

  private List<String> unread() {
    return unreadMessages().stream().map(Message::text).toList();
  }

  @Test
  void message_isUnreadUntilMarked() {
    send("a", "ann", null);
    send("b", null, null);
    assertThat(markRead("m1").isRead()).isTrue();
    assertThat(unreadMessages()).extracting(Message::text).containsExactly("b");
    assertThat(log.state().list()).extracting(Message::text).containsExactly("a", "b");
    assertThat(log.state().list()).extracting(Message::by).containsExactly("ann", null);
    assertThat(log.state().get("m2").timestamp()).isEqualTo("2026-03-01T10:00:00Z");
  }

  @Test
  void repeatedMark_changesNothing() {
    send("a", null, null);
    markRead("m1");
    assertThat(rules.markRead(log.state(), "m1", "x", 0).drafts()).isEmpty();
  }

  @Test
  void blankKey_isRejected() {
    assertThatThrownBy(() -> send("a", null, "")).hasMessageContaining("must not be blank");
    assertThatThrownBy(() -> send("a", null, " ")).hasMessageContaining("must not be blank");
  }

  @Test
  void repeatedKeyOfSender_sendsNoMessage() {
    Message first = send("a", null, "k");
    markRead("m1");
    assertThat(send("another text", null, "k").id()).isEqualTo(first.id());
    assertThat(send("b", null, "k2").number()).isEqualTo(2);
    assertThat(send("b", null, null).number()).isEqualTo(3);
    assertThat(send("b", "ann", "k").number()).isEqualTo(4);
    assertThat(send("c", "ann", "k").number()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n"})
  void messageWithoutText_isRejected(String text) {
    assertThatThrownBy(() -> send(text, null, null)).hasMessageContaining("needs a text");
  }

  @Test
  void message_isShownOnceAndStaysUnread() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    send("b", null, null);
    assertThat(shownTo("x", call("2"), after("1"))).containsExactly("b");
    assertThat(shownTo("x", call("3"), after("1", "2"))).isEmpty();
    assertThat(unread()).containsExactly("a", "b");
  }

  @Test
  void acknowledgement_isUndoneIfTheIterationFails() {
    send("a", null, null);
    send("b", null, null);
    AgentInbox.Call first = new AgentInbox.Call("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), first, LEASE, null, MessageRecipient.ANY, NOW));
    acknowledge("x", 7, "m1", "m2");
    assertThat(unread()).isEmpty();
    markRead("m2");

    assertThat(log.append(decider.endIteration(log.state(), 6, false))).isFalse();
    assertThat(unread()).isEmpty();
    log.append(decider.endIteration(log.state(), 7, false));
    assertThat(unread()).containsExactly("a");
    assertThat(shownTo("y", call("1"))).containsExactly("a!");
  }

  @Test
  void successfulIteration_writesNoFrame() {
    send("a", null, null);
    AgentInbox.Call first = new AgentInbox.Call("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), first, LEASE, null, MessageRecipient.ANY, NOW));
    acknowledge("x", 7, "m1");
    assertThat(decider.endIteration(log.state(), 7, true).drafts()).isEmpty();
  }

  @Test
  void endOfIteration_releasesItsLeases() {
    send("a", null, null);
    AgentInbox.Call call = new AgentInbox.Call("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), call, LEASE, null, MessageRecipient.ANY, NOW));
    assertThat(shownTo("y", call("1"))).isEmpty();
    Decision<Messages, Boolean> other = decider.endIteration(log.state(), 6, false);
    assertThat(other.drafts()).as("no leases in iteration 6").isEmpty();
    assertThat(log.append(other)).isFalse();
    assertThat(log.append(decider.endIteration(log.state(), 7, true))).isTrue();
    assertThat(shownTo("y", call("2"))).containsExactly("a!");
  }

  @Test
  void requestedMessage_isHeldAndStaysUnread() {
    String a = send("a", null, null).id();
    send("b", null, null);
    assertThat(take("x", "1", a)).containsExactly("a");
    assertThat(take("y", "1", a)).isEmpty();
    assertThat(take("x", "1", a)).containsExactly("a");
    AgentInbox.Call again = new AgentInbox.Call("x", "2", after());
    assertThat(decider.take(log.state(), again, LEASE, List.of(a), NOW).drafts())
        .as("still leased")
        .isEmpty();
    assertThat(decider.take(log.state(), again, LEASE, List.of(a), NOW.plus(LEASE)).drafts())
        .as("lease expired")
        .hasSize(1);
    assertThat(shownTo("y", call("2"))).containsExactly("b");
    assertThat(shownTo("x", call("2"), after("1"))).isEmpty();
    assertThat(unread()).containsExactly("a", "b");
    assertThat(shownAt(NOW.plus(LEASE), NO_ITERATION, "y", call("3"), after("2"))).contains("a!");
  }

  private List<String> take(String reader, String call, String... ids) {
    AgentInbox.Call by = new AgentInbox.Call(reader, call, Set.of());
    return log.append(decider.take(log.state(), by, LEASE, List.of(ids), NOW)).stream()
        .map(Message::text)
        .toList();
  }

  @Test
  void withoutUnreadMessages_nothingIsWritten() {
    AgentInbox.Call call = new AgentInbox.Call("x", "1", Set.of());
    assertThat(decider.deliver(log.state(), call, LEASE, null, MessageRecipient.ANY, NOW).drafts())
        .isEmpty();
    send("a", null, null);
    markRead("m1");
    assertThat(decider.deliver(log.state(), call, LEASE, null, MessageRecipient.ANY, NOW).drafts())
        .isEmpty();
    List<String> read = List.of(log.state().get("m1").id());
    assertThat(decider.acknowledge(log.state(), call, read, 0, NOW).drafts()).isEmpty();
  }

  @Test
  void concurrentCall_isShownTheSameMessage() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    assertThat(shownTo("x", call("2"))).containsExactly("a!");
    assertThat(shownTo("x", call("3"), after("1"))).isEmpty();
    assertThat(unread()).containsExactly("a");
  }

  @Test
  void activeAgent_renewsItsLeaseAtHalfTime() {
    send("a", null, null);
    shownTo("x", call("1"));
    AgentInbox.Call soon = new AgentInbox.Call("x", "2", Set.of("1"));
    Instant half = NOW.plus(LEASE.dividedBy(2));
    assertThat(decider.deliver(log.state(), soon, LEASE, null, MessageRecipient.ANY, half).drafts())
        .isEmpty();
    assertThat(shownAt(half.plusMillis(1), null, "x", call("2"), after("1"))).isEmpty();
    assertThat(shownAt(NOW.plus(LEASE), null, "y", call("1"), after())).isEmpty();
    assertThat(shownAt(half.plusMillis(1).plus(LEASE), null, "y", call("2"), after()))
        .containsExactly("a!");
  }

  @Test
  void renewals_areLimitedToFiftyPerCall() {
    for (int i = 0; i < 60; i++) {
      send("m" + i, null, null);
    }
    shownTo("x", call("1"));
    shownTo("x", call("2"), after("1"));
    AgentInbox.Call next = new AgentInbox.Call("x", "3", Set.of("1", "2"));
    Instant late = NOW.plus(LEASE.dividedBy(2)).plusMillis(1);

    assertThat(decider.deliver(log.state(), next, LEASE, null, MessageRecipient.ANY, late).drafts())
        .singleElement()
        .satisfies(draft -> assertThat(draft.meta().strings("ids")).hasSize(50));
  }

  @Test
  void leasedMessage_isShownToSecondAgentAfterExpiry() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    assertThat(shownTo("y", call("1"), after("0"))).isEmpty();
    assertThat(shownAt(NOW.plus(LEASE).minusMillis(1), null, "y", call("2"), after("1"))).isEmpty();
    assertThat(shownAt(NOW.plus(LEASE), null, "y", call("3"), after("1", "2")))
        .containsExactly("a!");
    // The first reader can no longer acknowledge a message that the second one holds.
    assertThat(shownTo("x", call("2"), after("1"))).isEmpty();
    assertThat(acknowledge("x", 0, "m1")).isFalse();
    assertThat(unread()).containsExactly("a");
    assertThat(acknowledge("y", 0, "m1")).isTrue();
    assertThat(unread()).isEmpty();
  }

  @Test
  void returningAgent_isNotShownTheMessageAgain() {
    send("a", null, null);
    shownTo("x", call("1"));
    assertThat(shownAt(NOW.plus(LEASE), null, "x", call("2"), after("1"))).isEmpty();
    assertThat(shownAt(NOW.plus(LEASE), null, "y", call("1"), after())).isEmpty();
  }

  @Test
  void endedAgent_releasesItsMessages() {
    send("a", null, null);
    shownTo("x", call("1"));
    assertThat(log.append(decider.release(log.state(), "x", NOW))).isTrue();
    assertThat(decider.release(log.state(), "x", NOW).drafts()).isEmpty();
    assertThat(decider.release(log.state(), "y", NOW).drafts()).isEmpty();
    assertThat(shownTo("y", call("1"))).containsExactly("a!");
  }

  @Test
  void acknowledgement_deliversNoNewMessage() {
    send("a", null, null);
    shownTo("x", call("1"));
    send("b", null, null);
    assertThat(acknowledge("x", 0, "m1")).isTrue();
    assertThat(unread()).containsExactly("b");
    assertThat(shownTo("x", call("3"), after("2"))).containsExactly("b");
  }

  @Test
  void messageInThePrompt_isNotShownAgain() {
    send("in the prompt", null, null);
    String started = log.frame("{'action':'dance'}", "");
    send("later", null, null);
    assertThat(shownAt(NOW, started, "x", call("1"), after())).containsExactly("later");
    assertThat(unread()).containsExactly("in the prompt", "later");
    assertThat(shownTo("x", call("2"), after("1"))).containsExactly("in the prompt");
  }

  @Test
  void followUp_isHeldUntilTheNextIteration() {
    String first = log.frame("{'action':'dance'}", "");
    log.append(rules.send(log.state(), NewMessage.of("a").followUp(true), NOW));
    String second = log.frame("{'action':'dance'}", "");
    assertThat(shownTo("x", call("1"))).isEmpty();
    assertThat(unreadMessages()).allMatch(Message::isFollowUp);
    assertThat(InboxDecider.unreadBy(log.state(), "x", 0, first, MessageRecipient.ANY, NOW))
        .isEmpty();
    assertThat(InboxDecider.unreadBy(log.state(), "x", 0, second, MessageRecipient.ANY, NOW))
        .hasSize(1);
    assertThat(InboxDecider.unreadBy(log.state(), "x", 0, null, MessageRecipient.ANY, NOW))
        .hasSize(1);
  }

  @Test
  void list_omitsMessagesLeasedToSecondAgent() {
    send("a", null, null);
    shownTo("x", call("1"));
    assertThat(InboxDecider.unreadBy(log.state(), "x", 0, null, MessageRecipient.ANY, NOW))
        .hasSize(1);
    assertThat(InboxDecider.unreadBy(log.state(), "y", 0, null, MessageRecipient.ANY, NOW))
        .isEmpty();
    assertThat(
            InboxDecider.unreadBy(log.state(), "y", 0, null, MessageRecipient.ANY, NOW.plus(LEASE)))
        .hasSize(1);
  }

  @Test
  void manyMessages_areShownFiftyAtATime() {
    for (int i = 0; i < 120; i++) {
      send("m" + i, null, null);
    }
    assertThat(shownTo("x", call("1"))).hasSize(50).startsWith("m0");
    assertThat(shownTo("x", call("2"), after("1"))).hasSize(50).startsWith("m50");
    assertThat(shownTo("x", call("3"), after("1", "2"))).hasSize(20);
    assertThat(shownTo("x", call("4"), after("1", "2", "3"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10000,10000     | 2",
        "10000,10001     | 1 1",
        "10000,9999,1,1  | 3 1",
        "20001,1         | 1 1",
        "1,20001,1       | 1 1 1",
        "50000,50000     | 1 1",
      })
  void shownMessages_areLimitedByTheirTotalLength(String lengths, String shown) {
    for (String length : lengths.strip().split(",")) {
      send("x".repeat(Integer.parseInt(length)), null, null);
    }
    Set<String> answered = new HashSet<>();
    for (String count : shown.split(" ")) {
      String call = "call " + answered.size();
      assertThat(shownTo("x", call, Set.copyOf(answered))).hasSize(Integer.parseInt(count));
      answered.add(call);
    }
    assertThat(shownTo("x", "last", answered)).isEmpty();
  }

  @Test
  void expiredMessage_isNotShownAndLoggedOnce() {
    log.frame("{'status':'unread','deadline':'2026-03-01T10:00:10Z'}", "soon too late");
    send("a", null, null);
    Instant late = NOW.plusSeconds(11);

    assertThat(shownAt(late, NO_ITERATION, "x", call("1"), after())).containsExactly("a");

    assertThat(log.state().expired(late)).as("all are logged").isEmpty();
    assertThat(log.state().unreadCount()).isEqualTo(1);
    AgentInbox.Call next = new AgentInbox.Call("x", "2", Set.of("1"));
    assertThat(decider.deliver(log.state(), next, LEASE, null, MessageRecipient.ANY, late).drafts())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 31L * 24 * 3600 * 1000})
  void invalidLeaseDuration_isRejected(long millis) {
    AgentInbox.Call call = new AgentInbox.Call("x", "1", Set.of());
    Duration lease = Duration.ofMillis(millis);
    assertThatThrownBy(
            () -> decider.deliver(log.state(), call, lease, null, MessageRecipient.ANY, NOW))
        .hasMessageContaining("a lease must be 1 ms");
  }

  @Test
  void framesWithoutActionOrNumber_areUnderstood() {
    String id = log.frame("{'status':'unread','timestamp':'2025-01-02T03:04:05+0100'}", "old");
    log.frame("{}", "older still");
    log.frame("{'action':'add','status':'unread'}", "c");
    assertThat(log.state().list()).extracting(Message::number).containsExactly(1, 2, 3);
    assertThat(log.state().get("m1").timestamp()).isEqualTo("2025-01-02T03:04:05+0100");
    assertThat(log.state().get("m2").timestamp()).isEqualTo("2026-03-01T10:00:00Z");

    log.frame("0000000zzzzzzzzzzzzzzzzzz", "{'status':'unread'}", "d");
    log.frame("{'action':'mark_read','id':'0000000z'}", "");
    assertThat(log.state().get("m4").isRead()).isTrue();
    log.frame("{'action':'mark_read','id':'" + id + "'}", "");
    assertThat(log.state().get("m1").isRead()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action':'dance'}",
        "{'action':'mark_read'}",
        "{'action':'mark_read','id':''}",
        "{'action':'mark_read','id':[1]}",
        "{'action':'mark_read','id':'0000000000000000000000000'}",
        "{'action':'deliver'}",
        "{'action':'deliver','ids':[1,'x'],'to':'x','call':'1','until':'2026-03-01T10:00:00Z'}",
        "{'action':'deliver','ids':[],'to':'x','call':'1','until':'soon'}",
        "{'action':'release'}",
      })
  void invalidFrame_changesNothing(String meta) {
    send("a", null, null);
    log.frame(meta, "text");
    assertThat(log.state().list()).hasSize(1).noneMatch(Message::isRead);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"2026-03-01T10:00:00Z", "2025-01-02T03:04:05Z", "2025-01-02T03:04:05+0100", "now"})
  void encodedTimestamp_isDecodedUnchanged(String timestamp) {
    log.frame("{'status':'unread','timestamp':'" + timestamp + "'}", "a");
    log.encodeAndDecode();
    assertThat(log.state().get("m1").timestamp()).isEqualTo(timestamp);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action':'renew','id':'ID','until':'2026-03-02T10:00:00Z'}",
        "{'action':'renew','id':'ID','until':'2026-03-02T10:00:00Z','claim':'x'}",
        "{'action':'renew','id':'nowhere','until':'2026-03-02T10:00:00Z','claim':'TOKEN'}",
        "{'action':'release','id':'ID'}",
        "{'action':'release','id':'ID','claim':'x'}",
        "{'action':'release','id':'nowhere','claim':'TOKEN'}",
        "{'action':'release','to':'y'}",
        "{'action':'mark_read','id':'ID','claim':'x'}",
      })
  void wrongLeaseToken_changesNothing(String meta) {
    String id = send("a", null, null).id();
    shownTo("x", call("1"));
    Lease before = log.state().entry(0).lease();

    log.frame(meta.replace("ID", id).replace("TOKEN", before.token()), "");

    assertThat(log.state().entry(0).lease()).hasToString(before.toString());
    assertThat(unread()).containsExactly("a");
    assertThat(shownTo("y", call("1"))).isEmpty();
  }

  @Test
  void leaseToken_allowsRenewReleaseAndMark() {
    String a = send("a", null, null).id();
    String b = send("b", null, null).id();
    shownTo("x", call("1"));
    String under = "'claim':'" + log.state().entry(0).lease().token() + "'}";

    log.frame("{'action':'renew','id':'" + a + "','until':'2026-03-02T10:00:00Z'," + under, "");
    Instant later = NOW.plus(LEASE);
    assertThat(shownAt(later, NO_ITERATION, "y", call("1"), after())).containsExactly("b!");

    log.frame("{'action':'release','id':'" + a + "'," + under, "");
    assertThat(shownAt(later, NO_ITERATION, "y", call("2"), after("1"))).containsExactly("a!");
    log.frame("{'action':'mark_read','id':'" + a + "'," + under, "");
    assertThat(unread()).as("held by another reader").containsExactly("a", "b");
    String others = "'claim':'" + log.state().entry(1).lease().token() + "'}";
    log.frame("{'action':'mark_read','id':'" + b + "'," + others, "");
    assertThat(unread()).containsExactly("a");
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    send("a", "ann", "k");
    send("\u0000\n\"", null, null);
    String large = "x".repeat(100_000);
    markRead("m1");
    log.append(rules.send(log.state(), NewMessage.of("f").followUp(true), NOW));
    shownTo("x", call("1"));
    shownTo("x", call("2"));
    send(large, null, null);
    List<Message> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Messages.class)
        .isEqualTo(before);
    assertThat(send("again", "ann", "k").number()).isEqualTo(1);
    assertThat(send("b", null, null).number()).isEqualTo(5);
    assertThat(shownTo("y", call("1"))).containsExactly(large);
    assertThat(shownTo("y", call("2"), after("1"))).containsExactly("b");
    assertThat(acknowledge("x", 0, "m2")).isTrue();
    assertThat(unread()).containsExactly("f", large, "b");
  }

  /** Delivers messages to an agent at a call; the iteration has the agent's number. */
  private List<String> shownToAgent(int agent, String call, Set<String> seen) {
    AgentInbox.Call by = new AgentInbox.Call("reader-" + agent, call, seen, agent);
    return shownTo(by, new MessageRecipient(agent, 3, false, agent));
  }

  private List<String> shownTo(AgentInbox.Call by, MessageRecipient recipient) {
    return log.append(decider.deliver(log.state(), by, LEASE, null, recipient, NOW)).stream()
        .map(delivery -> delivery.message().text())
        .toList();
  }

  @Test
  void agentsSideBySide_areEachShownAMessageOnce() {
    send("a", null, null);
    for (int agent = 1; agent <= 3; agent++) {
      assertThat(shownToAgent(agent, "1", after())).containsExactly("a");
    }
    log.encodeAndDecode();
    for (int agent = 1; agent <= 3; agent++) {
      assertThat(shownToAgent(agent, "2", after("1"))).as("agent %d", agent).isEmpty();
    }
    AgentInbox.Call beside = new AgentInbox.Call("another reader", "1", after(), 2);
    assertThat(shownTo(beside, new MessageRecipient(2, 3, false, 2))).isEmpty();

    log.append(rules.markRead(log.state(), "m1", "reader-2", 2));
    assertThat(unread()).isEmpty();
    assertThat(log.state().get("m1").readBy()).isEqualTo(2);
  }

  @Test
  void endedIteration_keepsLeasesOfTheRest() {
    send("a", null, null);
    shownToAgent(1, "1", after());
    shownToAgent(2, "1", after());
    shownToAgent(3, "1", after());
    log.append(decider.endIteration(log.state(), 2, false));
    assertThat(log.state().entry(0).isHeldIn(2)).isFalse();
    assertThat(shownToAgent(1, "2", after("1"))).isEmpty();
    assertThat(shownToAgent(3, "2", after("1"))).isEmpty();
    assertThat(shownToAgent(2, "2", after("1"))).as("the agent's next reader").contains("a");
    for (int iteration = 1; iteration <= 3; iteration++) {
      log.append(decider.endIteration(log.state(), iteration, true));
    }
    assertThat(log.state().entry(0).isLeased(NOW)).isFalse();
    assertThat(unread()).containsExactly("a");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2, 3, false, true",
    "2, 2, 3, false, true",
    "2, 1, 3, false, false",
    "2, 1, 3, true,  true",
    "4, 1, 3, false, true",
    "2, 0, 0, true,  true",
    "3, 1, 3, false, false",
  })
  void addressedMessage_isShownToItsAgent(
      int addressee, int agent, int agents, boolean alone, boolean shown) {
    MessageRecipient recipient = new MessageRecipient(agent, agents, alone, agent);
    log.append(rules.send(log.state(), NewMessage.of("a").agent(addressee), NOW));
    log.encodeAndDecode();
    assertThat(log.state().get("m1").agent()).isEqualTo(addressee);
    assertThat(InboxDecider.unreadBy(log.state(), "x", agent, null, recipient, NOW))
        .hasSize(shown ? 1 : 0);
    assertThat(shownTo(new AgentInbox.Call("x", "1", after(), agent), recipient))
        .hasSize(shown ? 1 : 0);
    assertThat(unread()).as("blocks completion until read").containsExactly("a");
  }

  @Test
  void failedIteration_clearsTheReaderOfTheMessage() {
    send("a", null, null);
    AgentInbox.Call call = new AgentInbox.Call("x", "1", after(), 7);
    List<String> ids = List.of(log.state().get("m1").id());
    log.append(decider.acknowledge(log.state(), call, ids, 2, NOW));
    assertThat(log.state().get("m1").readBy()).isEqualTo(2);
    log.append(decider.endIteration(log.state(), 7, false));
    assertThat(log.state().get("m1").readBy()).isZero();
    assertThat(unread()).containsExactly("a");
  }
}
