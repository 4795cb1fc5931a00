package dev.ralph.core.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Message;
import dev.ralph.Topic;
import dev.ralph.core.internal.view.Replay;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of messages, as pure functions: no store takes part. */
class InboxRulesTest {

  private final InboxDecider decider = new InboxDecider(Topic.of("ralph.test.inbox"));
  private final Replay<?, Messages> log = Replay.of(new InboxFold());

  private Message send(String text, String by, String key) {
    return log.append(decider.send(log.state(), text, by, key, Replay.NOW));
  }

  private Message markRead(String ref) {
    return log.append(decider.markRead(log.state(), ref));
  }

  @Test
  void aMessageIsUnreadUntilItIsMarked() {
    send("a", "ann", null);
    send("b", null, null);
    assertThat(markRead("m1").isRead()).isTrue();
    assertThat(log.state().unread()).extracting(Message::text).containsExactly("b");
    assertThat(log.state().list()).extracting(Message::text).containsExactly("a", "b");
    assertThat(log.state().list()).extracting(Message::by).containsExactly("ann", null);
    assertThat(log.state().get("m2").timestamp()).isEqualTo("2026-03-01T10:00:00Z");
  }

  @Test
  void markingAgainDoesNothing() {
    send("a", null, null);
    markRead("m1");
    assertThat(decider.markRead(log.state(), "m1").drafts()).isEmpty();
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
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n"})
  void aMessageNeedsAText(String text) {
    assertThatThrownBy(() -> send(text, null, null)).hasMessageContaining("needs a text");
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
    List<Message> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Messages.class)
        .isEqualTo(before);
    assertThat(send("again", null, "k").number()).isEqualTo(1);
    assertThat(send("b", null, null).number()).isEqualTo(3);
  }
}
