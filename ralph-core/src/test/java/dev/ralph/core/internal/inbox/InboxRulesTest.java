package dev.ralph.core.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Message;
import dev.ralph.NewMessage;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.domain.message.MessageFold;
import dev.ralph.domain.message.MessageRules;
import dev.ralph.domain.message.Messages;
import dev.ralph.log.Topic;
import dev.ralph.tool.ToolCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of messages, as pure functions: no store takes part. */
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
    return log.append(rules.markRead(log.state(), ref, null));
  }

  /** Shows a reader its messages at a call of its; returns what it is shown. */
  private List<String> shownTo(String reader, String call) {
    return shownTo(reader, call, havingSeen());
  }

  private List<String> shownTo(String reader, String call, Set<String> seen) {
    return shownAt(NOW, NO_ITERATION, reader, call, seen);
  }

  /** Returns the texts, those shown again with an exclamation mark. */
  private List<String> shownAt(
      Instant now, String prompted, String reader, String call, Set<String> seen) {
    ToolCall by = new ToolCall(reader, call, seen);
    return log.append(decider.deliver(log.state(), by, LEASE, prompted, now)).stream()
        .map(delivery -> delivery.message().text() + (delivery.again() ? "!" : ""))
        .toList();
  }

  private static String call(String id) {
    return id;
  }

  /** The calls whose replies the reader has surely seen. */
  private static Set<String> havingSeen(String... calls) {
    return Set.of(calls);
  }

  private List<Message> unreadMessages() {
    Messages messages = log.state();
    return messages.views(messages.unread(NOW));
  }

  private List<String> unread() {
    return unreadMessages().stream().map(Message::text).toList();
  }

  @Test
  void aMessageIsUnreadUntilItIsMarked() {
    send("a", "ann", null);
    send("b", null, null);
    assertThat(markRead("m1").isRead()).isTrue();
    assertThat(unreadMessages()).extracting(Message::text).containsExactly("b");
    assertThat(log.state().list()).extracting(Message::text).containsExactly("a", "b");
    assertThat(log.state().list()).extracting(Message::by).containsExactly("ann", null);
    assertThat(log.state().get("m2").timestamp()).isEqualTo("2026-03-01T10:00:00Z");
  }

  @Test
  void markingAgainDoesNothing() {
    send("a", null, null);
    markRead("m1");
    assertThat(rules.markRead(log.state(), "m1", "x").drafts()).isEmpty();
  }

  @Test
  void aBlankKeyIsNone() {
    assertThatThrownBy(() -> send("a", null, "")).hasMessageContaining("must not be blank");
    assertThatThrownBy(() -> send("a", null, " ")).hasMessageContaining("must not be blank");
  }

  @Test
  void aKeyIsGoodForOneMessageReadOrNot() {
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
  void aMessageNeedsAText(String text) {
    assertThatThrownBy(() -> send(text, null, null)).hasMessageContaining("needs a text");
  }

  @Test
  void aMessageIsShownOnceAndReadWithTheNextCall() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    assertThat(unread()).containsExactly("a");
    send("b", null, null);
    assertThat(shownTo("x", call("2"), havingSeen("1"))).containsExactly("b");
    assertThat(unread()).containsExactly("b");
    assertThat(shownTo("x", call("3"), havingSeen("1", "2"))).isEmpty();
    assertThat(unread()).isEmpty();
  }

  @Test
  void whatTheNextCallMarkedCountsOnceItsIterationSucceeds() {
    send("a", null, null);
    send("b", null, null);
    ToolCall first = new ToolCall("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), first, LEASE, null, NOW));
    ToolCall next = new ToolCall("x", "2", Set.of("1"), 7);
    log.append(decider.acknowledge(log.state(), next));
    assertThat(unread()).isEmpty();
    markRead("m2");

    log.append(decider.endIteration(log.state(), 6, false));
    assertThat(unread()).isEmpty();
    log.append(decider.endIteration(log.state(), 7, false));
    assertThat(unread()).containsExactly("a");
    assertThat(shownTo("y", call("1"))).containsExactly("a!");
  }

  @Test
  void theSuccessOfAnIterationNeedsNoWord() {
    send("a", null, null);
    ToolCall first = new ToolCall("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), first, LEASE, null, NOW));
    log.append(decider.acknowledge(log.state(), new ToolCall("x", "2", Set.of("1"), 7)));
    assertThat(decider.endIteration(log.state(), 7, true).drafts()).isEmpty();
  }

  @Test
  void theLeasesOfAnIterationEndWithIt() {
    send("a", null, null);
    ToolCall call = new ToolCall("x", "1", Set.of(), 7);
    log.append(decider.deliver(log.state(), call, LEASE, null, NOW));
    assertThat(shownTo("y", call("1"))).isEmpty();
    log.append(decider.endIteration(log.state(), 7, true));
    assertThat(shownTo("y", call("2"))).containsExactly("a!");
  }

  @Test
  void whatAnAgentAsksForIsItsOwnAndUnreadUntilItIsMarked() {
    String a = send("a", null, null).id();
    send("b", null, null);
    assertThat(take("x", "1", a)).containsExactly("a");
    assertThat(take("y", "1", a)).isEmpty();
    assertThat(take("x", "1", a)).containsExactly("a");
    assertThat(shownTo("y", call("2"))).containsExactly("b");
    assertThat(shownTo("x", call("2"), havingSeen("1"))).isEmpty();
    assertThat(unread()).containsExactly("a", "b");
    assertThat(shownAt(NOW.plus(LEASE), NO_ITERATION, "x", call("3"), havingSeen("1", "2")))
        .contains("a!");
  }

  private List<String> take(String reader, String call, String... ids) {
    ToolCall by = new ToolCall(reader, call, Set.of());
    return log.append(decider.take(log.state(), by, LEASE, List.of(ids), NOW)).stream()
        .map(Message::text)
        .toList();
  }

  @Test
  void nothingIsWrittenWhereNothingIsUnread() {
    ToolCall call = new ToolCall("x", "1", Set.of());
    assertThat(decider.deliver(log.state(), call, LEASE, null, NOW).drafts()).isEmpty();
    send("a", null, null);
    markRead("m1");
    assertThat(decider.deliver(log.state(), call, LEASE, null, NOW).drafts()).isEmpty();
    assertThat(decider.acknowledge(log.state(), call).drafts()).isEmpty();
  }

  @Test
  void aCallInFlightWithAnotherIsShownTheSameAndReadsNothing() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    assertThat(shownTo("x", call("2"))).containsExactly("a!");
    assertThat(unread()).containsExactly("a");
    assertThat(shownTo("x", call("3"), havingSeen("1"))).isEmpty();
    assertThat(unread()).isEmpty();
  }

  @Test
  void ofTwoAgentsOneIsShownAMessageUntilItsLeaseRunsOut() {
    send("a", null, null);
    assertThat(shownTo("x", call("1"))).containsExactly("a");
    assertThat(shownTo("y", call("1"), havingSeen("0"))).isEmpty();
    assertThat(shownAt(NOW.plus(LEASE).minusMillis(1), null, "y", call("2"), havingSeen("1")))
        .isEmpty();
    assertThat(shownAt(NOW.plus(LEASE), null, "y", call("3"), havingSeen("1", "2")))
        .containsExactly("a!");
    // The first one, late, can't speak for what is now the other's.
    assertThat(shownTo("x", call("2"), havingSeen("1"))).isEmpty();
    assertThat(unread()).containsExactly("a");
    assertThat(shownTo("y", call("4"), havingSeen("1", "2", "3"))).isEmpty();
    assertThat(unread()).isEmpty();
  }

  @Test
  void anAgentThatComesBackAfterItsLeaseHasSeenTheMessageAllTheSame() {
    send("a", null, null);
    shownTo("x", call("1"));
    assertThat(shownAt(NOW.plus(LEASE), null, "x", call("2"), havingSeen("1"))).isEmpty();
    assertThat(unread()).isEmpty();
  }

  @Test
  void anAgentThatEndedKeepsNothingFromOthers() {
    send("a", null, null);
    shownTo("x", call("1"));
    log.append(decider.release(log.state(), "x", NOW));
    assertThat(decider.release(log.state(), "x", NOW).drafts()).isEmpty();
    assertThat(decider.release(log.state(), "y", NOW).drafts()).isEmpty();
    assertThat(shownTo("y", call("1"))).containsExactly("a!");
  }

  @Test
  void anAcknowledgementShowsNothingNew() {
    send("a", null, null);
    shownTo("x", call("1"));
    send("b", null, null);
    ToolCall next = new ToolCall("x", "2", Set.of("1"));
    assertThat(log.append(decider.acknowledge(log.state(), next))).isTrue();
    assertThat(unread()).containsExactly("b");
    assertThat(shownTo("x", call("3"), havingSeen("2"))).containsExactly("b");
  }

  @Test
  void whatStandsInThePromptOfTheRunningIterationIsNotShownAgain() {
    send("in the prompt", null, null);
    String started = log.frame("{'action':'dance'}", "");
    send("later", null, null);
    assertThat(shownAt(NOW, started, "x", call("1"), havingSeen())).containsExactly("later");
    assertThat(unread()).containsExactly("in the prompt", "later");
    assertThat(shownTo("x", call("2"), havingSeen("1"))).containsExactly("in the prompt");
  }

  @Test
  void aFollowUpIsNeverShownAtWorkAndHeldBackUntilTheNextIteration() {
    String first = log.frame("{'action':'dance'}", "");
    log.append(rules.send(log.state(), NewMessage.of("a").followUp(true), NOW));
    String second = log.frame("{'action':'dance'}", "");
    assertThat(shownTo("x", call("1"))).isEmpty();
    assertThat(unreadMessages()).allMatch(Message::isFollowUp);
    assertThat(InboxDecider.unreadBy(log.state(), "x", first, NOW)).isEmpty();
    assertThat(InboxDecider.unreadBy(log.state(), "x", second, NOW)).hasSize(1);
    assertThat(InboxDecider.unreadBy(log.state(), "x", null, NOW)).hasSize(1);
  }

  @Test
  void aListLeavesOutWhatAnotherAgentIsShown() {
    send("a", null, null);
    shownTo("x", call("1"));
    assertThat(InboxDecider.unreadBy(log.state(), "x", null, NOW)).hasSize(1);
    assertThat(InboxDecider.unreadBy(log.state(), "y", null, NOW)).isEmpty();
    assertThat(InboxDecider.unreadBy(log.state(), "y", null, NOW.plus(LEASE))).hasSize(1);
  }

  @Test
  void aFloodIsShownAndReadInParts() {
    for (int i = 0; i < 120; i++) {
      send("m" + i, null, null);
    }
    assertThat(shownTo("x", call("1"))).hasSize(50).startsWith("m0");
    assertThat(shownTo("x", call("2"), havingSeen("1"))).hasSize(50).startsWith("m50");
    assertThat(shownTo("x", call("3"), havingSeen("1", "2"))).hasSize(20);
    shownTo("x", call("4"), havingSeen("1", "2", "3"));
    assertThat(unread()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 31L * 24 * 3600 * 1000})
  void aLeaseIsNeitherNothingNorForEver(long millis) {
    ToolCall call = new ToolCall("x", "1", Set.of());
    Duration lease = Duration.ofMillis(millis);
    assertThatThrownBy(() -> decider.deliver(log.state(), call, lease, null, NOW))
        .hasMessageContaining("a lease must be positive");
  }

  @Test
  void framesOfAnotherProgramNeedNeitherActionNorNumber() {
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
  void whatCanNotBeUnderstoodChangesNothing(String meta) {
    send("a", null, null);
    log.frame(meta, "text");
    assertThat(log.state().list()).hasSize(1).noneMatch(Message::isRead);
  }

  @Test
  void aStateSurvivesItsEncoding() {
    send("a", "ann", "k");
    send("\u0000\n\"", null, null);
    markRead("m1");
    log.append(rules.send(log.state(), NewMessage.of("f").followUp(true), NOW));
    shownTo("x", call("1"));
    shownTo("x", call("2"));
    List<Message> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Messages.class)
        .isEqualTo(before);
    assertThat(send("again", "ann", "k").number()).isEqualTo(1);
    assertThat(send("b", null, null).number()).isEqualTo(4);
    assertThat(shownTo("y", call("1"))).containsExactly("b");
    shownTo("x", call("3"), havingSeen("1"));
    assertThat(unread()).containsExactly("f", "b");
  }
}
