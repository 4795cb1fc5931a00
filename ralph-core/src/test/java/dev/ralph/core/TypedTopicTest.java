package dev.ralph.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Ralph;
import dev.ralph.StepCodec;
import dev.ralph.TypedTopic;
import dev.ralph.log.ContendedException;
import dev.ralph.log.Decision;
import dev.ralph.log.Fold;
import dev.ralph.log.Frame;
import dev.ralph.log.Ledger;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of one type in the frames of a topic. */
class TypedTopicTest {

  private static final Topic TOPIC = Topic.of("shop.amounts");
  private static final StepCodec<Integer> NUMBER = StepCodec.of(String::valueOf, Integer::valueOf);

  private final Ralph ralph = Ralph.inMemory();
  private final TypedTopic<Integer> amounts =
      ralph.topic(TOPIC, NUMBER).version(3).older(2, text -> Integer.valueOf(text, 16));

  @AfterEach
  void close() {
    ralph.close();
  }

  private static Fold<List<String>, List<String>> seen(TypedTopic<Integer> topic) {
    return topic.fold(
        "shop.seen",
        ArrayList::new,
        (seen, entry) -> seen.add(entry.problem() == null ? "" + entry.value() : entry.problem()),
        List::copyOf);
  }

  private Frame append(String meta, String content) {
    return ralph.append(TOPIC, Meta.parse(meta), content);
  }

  @Test
  void values_areFoldedInOrder() {
    Frame frame = amounts.append(20);
    amounts.append(-1);

    assertThat(frame.meta()).isEqualTo(Meta.of("v", 3));
    assertThat(frame.content()).isEqualTo("20");
    assertThat(amounts.read(frame).value()).isEqualTo(20);
    assertThat(amounts.read(frame).frame()).isEqualTo(frame);
    assertThat(ralph.view(amounts.topic(), seen(amounts)).current()).containsExactly("20", "-1");
  }

  @ParameterizedTest
  @CsvSource({
    "{'v':3}, 10, 10",
    "{'v':3.0}, 10, 10",
    "{'v':2}, 10, 16",
    "{'v':1}, 10, no reader of version 1",
    "{}, 10, no reader of version 1",
    "{'v':4}, 10, no reader of version 4",
    "{'v':4294967298}, 10, no reader of version 4294967298",
    "{'v':-1}, 10, no reader of version -1",
    "{'v':0}, 10, no reader of version 0",
    "{'v':-4294967294}, 10, no reader of version -4294967294",
    "{'v':-9223372036854775806}, 10, no reader of version -9223372036854775806",
    "{'v':'3'}, 10, the version is no whole number",
    "{'v':null}, 10, the version is no whole number",
    "{'v':3}, ten, 'java.lang.NumberFormatException: For input string: \"ten\"'",
  })
  void frame_isReadByItsVersion(String meta, String content, String expected) {
    append(meta.replace('\'', '"'), content);
    assertThat(ralph.view(TOPIC, seen(amounts)).current()).containsExactly(expected);
  }

  @Test
  void frameWithoutVersion_isFirstVersion() {
    append("{}", "7");
    append("{\"action\":\"add\"}", "8");
    TypedTopic<Integer> first = ralph.topic(TOPIC, NUMBER);
    assertThat(ralph.view(TOPIC, seen(first)).current()).containsExactly("7", "8");
  }

  @Test
  void nullOfCodec_isReported() {
    TypedTopic<Integer> silent = ralph.topic(TOPIC, StepCodec.of(value -> null, text -> null));
    append("{}", "7");
    assertThat(ralph.view(TOPIC, seen(silent)).current())
        .containsExactly("the codec returned null");
    assertThatThrownBy(() -> silent.append(7))
        .isInstanceOf(RalphException.class)
        .hasMessage("the codec of the topic shop.amounts returned null");
  }

  private static <X extends Exception> Integer fail(Exception failure) throws X {
    @SuppressWarnings("unchecked") // Kotlin throws checked exceptions without declaration
    X thrown = (X) failure;
    throw thrown;
  }

  @Test
  void checkedException_isReported() {
    TypedTopic<Integer> kotlin =
        ralph.topic(
            TOPIC,
            StepCodec.of(
                String::valueOf,
                text -> TypedTopicTest.<RuntimeException>fail(new IOException("cut off"))));
    append("{}", "7");
    append("{}", "8");
    assertThat(ralph.view(TOPIC, seen(kotlin)).current())
        .containsExactly("java.io.IOException: cut off", "java.io.IOException: cut off");
  }

  private static Integer depth(String text) {
    return text.isEmpty() ? 0 : depth(text) + 1;
  }

  @Test
  void tooDeepContent_isReported() {
    TypedTopic<Integer> deep =
        ralph.topic(TOPIC, StepCodec.of(String::valueOf, TypedTopicTest::depth));
    append("{}", "7");
    assertThat(ralph.view(TOPIC, seen(deep)).current())
        .containsExactly("java.lang.StackOverflowError");
  }

  @Test
  void failureOfStore_isPassedOn() {
    TypedTopic<Integer> broken =
        ralph.topic(
            TOPIC,
            StepCodec.of(
                String::valueOf,
                text -> {
                  throw RalphException.contended("busy");
                }));
    Frame frame = append("{}", "7");
    assertThatThrownBy(() -> broken.read(frame)).isInstanceOf(ContendedException.class);
  }

  @Test
  void erasedFrame_isUnreadable() {
    Frame frame = amounts.append(20);
    ralph.log().erase(List.of(frame.id()));
    Frame erased = ralph.log().get(frame.id()).orElseThrow();
    assertThat(amounts.read(erased).problem()).isEqualTo("the frame is erased");
    assertThat(ralph.view(TOPIC, seen(amounts)).current()).isEmpty();
  }

  @Test
  void draft_isAppendedByDecision() {
    Ledger<List<String>> ledger = ralph.ledger(TOPIC, seen(amounts));
    int size =
        ledger.decide(
            "adding 5", (seen, now) -> Decision.append(amounts.draft(5), after -> after.size()));
    assertThat(size).isEqualTo(1);
    assertThat(ledger.state()).containsExactly("5");
  }

  @Test
  void invalidVersion_isRefused() {
    assertThatThrownBy(() -> amounts.version(0)).hasMessageContaining("1 or more, not 0");
    assertThatThrownBy(() -> amounts.older(-1, Integer::valueOf)).hasMessageContaining("not -1");
  }

  @Test
  void foldsOfTwoClasses_areDistinguished() {
    assertThat(seen(amounts).code()).hasSize(3).isEqualTo(seen(amounts).code());
    assertThat(amounts.fold("shop.seen", () -> 0, (state, entry) -> {}, state -> state).code())
        .isNotEqualTo(seen(amounts).code());
  }
}
