package dev.ralph.core.internal.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.NewMessage;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.domain.Priority;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Draft;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Topic;
import dev.ralph.spi.Scru128;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The texts that the state of messages keeps, and those that stay in the log. */
class MessageFoldTest {

  private static final Instant NOW = Replay.NOW;
  private static final Topic TOPIC = Topic.of("mail.test.box");

  private final Map<String, Frame> frames = new HashMap<>();
  private final MessageFold fold =
      new MessageFold(new TextSource(id -> Optional.ofNullable(frames.get(id))));
  private final Fold.Codec<MessageState> codec = fold.codec().orElseThrow();
  private final Scru128 ids = new Scru128(Clock.fixed(NOW, ZoneOffset.UTC));
  private final MessageRules rules = new MessageRules(TOPIC);
  private MessageState state = fold.initial();

  private String append(Draft draft) {
    Frame frame = Frame.of(ids.next(), Position.of(frames.size() + 1), NOW, draft);
    frames.put(frame.id(), frame);
    state = fold.apply(state, frame);
    return frame.id();
  }

  private String send(String text) {
    return append(rules.draft(messages(), NewMessage.of(text), MailHeaders.EMPTY, null, null, NOW));
  }

  private void markRead(int index, int heardIn) {
    append(rules.markRead(messages().entry(index), null, heardIn, null));
  }

  private void endIteration(int iteration, boolean heard) {
    Meta meta = Meta.of("action", "iteration_end").with("iteration", iteration);
    append(Draft.of(TOPIC, meta.with("heard", heard)));
  }

  private Messages messages() {
    return fold.result(state);
  }

  private String encoded() {
    return new String(codec.encode(state), ISO_8859_1);
  }

  @Test
  void textOfSettledMessage_isReadFromTheLog() {
    send("read ".repeat(20));
    send("expired ".repeat(20));
    send("unread ".repeat(20));
    markRead(0, 0);
    append(
        Draft.of(
            TOPIC, Meta.of("action", "expire").with("ids", List.of(messages().entry(1).id()))));
    assertThat(messages().entry(0).text().beginning()).isEmpty();
    assertThat(messages().entry(1).text().beginning()).isEmpty();
    assertThat(encoded()).contains("unread unread").doesNotContain("read read read expired");
    assertThat(encoded().replace("unread", "")).doesNotContain("read ").doesNotContain("expired ");
    assertThat(messages().view(0).text()).isEqualTo("read ".repeat(20));
    assertThat(messages().view(0).beginning(7)).isEqualTo("read re");
    assertThat(messages().view(1).length()).isEqualTo(160);
    assertThat(messages().view(1).isExpired()).isTrue();
  }

  @Test
  void provisionallyReadMessage_keepsItsText() {
    send("first");
    send("second");
    markRead(0, 7);
    assertThat(messages().entry(0).text().beginning()).isEqualTo("first");
    markRead(1, 8);
    assertThat(messages().entry(0).text().beginning()).isEmpty();
    assertThat(messages().entry(1).text().beginning()).isEqualTo("second");

    state = codec.decode(codec.encode(state));
    endIteration(7, false);
    assertThat(messages().unread(NOW)).containsExactly(0);
    assertThat(messages().view(0).text()).as("read from the log").isEqualTo("first");
    endIteration(8, true);
    assertThat(messages().unread(NOW)).containsExactly(0);
  }

  @Test
  void queriesOfUnreadMessages_decodeNoSettledMessage() {
    send("a");
    send("settled");
    append(
        rules.draft(messages(), NewMessage.of("k").key("key"), MailHeaders.EMPTY, null, null, NOW));
    send("b");
    markRead(1, 0);
    byte[] bytes = codec.encode(state);
    String settled = messages().entry(1).id();
    int at = new String(bytes, ISO_8859_1).indexOf(settled);
    bytes[at - 1] = '!'; // decoding this message fails

    state = codec.decode(bytes);
    assertThat(messages().unread(NOW)).containsExactly(0, 2, 3);
    assertThat(messages().unreadCount()).isEqualTo(3);
    assertThat(messages().next(NOW)).hasValue(0);
    assertThat(messages().findKey("key")).isEqualTo(2);
    assertThat(messages().findKey("other")).isEqualTo(-1);
    assertThat(messages().held()).isEmpty();
    assertThatThrownBy(() -> messages().entry(1)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void key_isFoundAtEachMomentAndAfterSnapshots() {
    List<String> senders = List.of("ann", "bob");
    Messages early = messages();
    for (int i = 0; i < 300; i++) {
      NewMessage message = NewMessage.of("x").key("key " + i / 2).by(senders.get(i % 2));
      append(rules.draft(messages(), message, MailHeaders.EMPTY, null, null, NOW));
      if (i % 37 == 0) {
        state = codec.decode(codec.encode(state));
      }
      early = i == 99 ? messages() : early;
    }
    for (int i = 0; i < 300; i++) {
      String key = "key " + i / 2;
      String by = senders.get(i % 2);
      assertThat(messages().findKey(key, by)).as(key).isEqualTo(i);
      assertThat(messages().findKey(key)).as(key).isEqualTo(i - i % 2);
      assertThat(early.findKey(key, by)).as(key).isEqualTo(i < 100 ? i : -1);
      assertThat(messages().findKey(key, null)).as(key).isEqualTo(-1);
    }
    assertThat(messages().findKey("key 150")).isEqualTo(-1);
  }

  @Test
  void encodedMail_isDecodedUnchanged() {
    MailHeaders envelope =
        MailHeaders.EMPTY
            .to(List.of("a", "b"))
            .type("t")
            .replyTo("r")
            .headline("h")
            .priority(Priority.LOW)
            .tags(List.of("x"))
            .deadline(NOW.plusSeconds(9))
            .mail("m")
            .awaitedUntil(NOW.plusSeconds(8));
    append(rules.draft(messages(), NewMessage.of("x"), envelope, null, NOW.plusSeconds(5), NOW));
    String token =
        append(rules.deliver(List.of(send("y")), "bob", null, 0, Duration.ofSeconds(3), NOW));
    append(rules.attend(messages(), "bob").orElseThrow());
    state = codec.decode(codec.encode(state));
    assertThat(messages().entry(0).envelope()).isEqualTo(envelope);
    assertThat(messages().entry(0).isLeased(NOW.plusSeconds(4))).isTrue();
    assertThat(messages().entry(0).wasDelivered()).isFalse();
    assertThat(messages().findHeld("m2", token, NOW.plusSeconds(2))).isEqualTo(1);
    assertThat(messages().nextLeaseEnd(NOW)).isEqualTo(NOW.plusSeconds(3));
    assertThat(messages().expired(NOW.plusSeconds(9))).containsExactly(0);
    assertThat(messages().isAttended()).isTrue();
    assertThat(rules.attend(messages(), "bob")).isEmpty();
  }

  @Test
  void earlierToken_changesNothing() {
    String id = send("x");
    String first = append(rules.deliver(List.of(id), "a", null, 0, Duration.ofSeconds(3), NOW));
    append(rules.deliver(List.of(id), "b", null, 0, Duration.ofSeconds(3), NOW));
    MessageEntry before = messages().entry(0);
    append(rules.markRead(before, "a", 0, first));
    append(rules.release(before, first));
    append(rules.renew(before, first, Duration.ofDays(1), NOW));
    assertThat(messages().entry(0)).isSameAs(before);
  }

  @Test
  void numberOfErasedMessage_isNotReused() {
    append(Draft.of(TOPIC, Meta.of("action", "numbered").with("n", 7)));
    Draft next = rules.draft(messages(), NewMessage.of("x"), MailHeaders.EMPTY, null, null, NOW);
    assertThat(next.meta().integer("n")).hasValue(8);
    append(next);
    assertThat(messages().entry(0).number()).isEqualTo(8);
  }

  @Test
  void encodedAnswer_keepsItsQuestion() {
    NewMessage answer = NewMessage.of("yes").by("ann").key("k").followUp(true);
    append(rules.draft(messages(), answer, MailHeaders.EMPTY, "the question", null, NOW));
    MessageEntry before = messages().entry(0);
    state = codec.decode(codec.encode(state));
    assertThat(messages().entry(0)).usingRecursiveComparison().isEqualTo(before);
    assertThat(messages().entry(0).question).isEqualTo("the question");
  }

  @Test
  void leaseToken_isDeliveryOrInitiallyHeldMessage() {
    String plain = send("x");
    String held =
        append(
            rules.draft(
                messages(), NewMessage.of("y"), MailHeaders.EMPTY, null, NOW.plusSeconds(5), NOW));
    String delivered =
        append(rules.deliver(List.of(plain), "bob", null, 0, Duration.ofSeconds(3), NOW));
    String renewed =
        append(rules.renew(messages().entry(0), delivered, Duration.ofSeconds(9), NOW));
    assertThat(isLease(delivered, 0)).isTrue();
    assertThat(isLease(delivered, 1)).isFalse();
    assertThat(isLease(renewed, 0)).isFalse();
    assertThat(isLease(plain, 0)).isFalse();
    assertThat(isLease(held, 1)).isTrue();
    assertThat(isLease(held, 0)).isFalse();
  }

  private boolean isLease(String frame, int index) {
    return MessageFold.isLease(frames.get(frame), messages().entry(index));
  }
}
