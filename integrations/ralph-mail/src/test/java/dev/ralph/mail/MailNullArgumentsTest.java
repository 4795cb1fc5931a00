package dev.ralph.mail;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.ralph.Ralph;
import dev.ralph.core.NullArguments;
import dev.ralph.domain.Priority;
import dev.ralph.log.Meta;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each method rejects null for a parameter that is not nullable, and names the parameter. */
class MailNullArgumentsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final NewMail NEW = NewMail.of("x").to("bob");
  private static final Ralph RALPH = Ralph.inMemory();
  private static final Mailboxes BOXES = Mailboxes.of(RALPH, "shop");
  private static final Mailbox BOB = BOXES.box("bob");
  private static final Mail SENT = BOXES.box("ann").send(NEW).get(0);

  private static final Map<Class<?>, Object> SAMPLES =
      Map.ofEntries(
          Map.entry(String.class, "x"),
          Map.entry(int.class, 1),
          Map.entry(boolean.class, true),
          Map.entry(List.class, List.of()),
          Map.entry(Duration.class, SECOND),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(Priority.class, Priority.HIGH),
          Map.entry(Meta.class, Meta.empty()),
          Map.entry(NewMail.class, NEW),
          Map.entry(Mail.class, SENT),
          Map.entry(Mailbox.class, BOB),
          Map.entry(Ralph.class, RALPH));

  @AfterAll
  static void close() {
    RALPH.close();
  }

  private static Stream<Arguments> calls() {
    return Stream.of(
            NullArguments.calls(Mailboxes.class, null),
            NullArguments.calls(Mailboxes.class, BOXES),
            NullArguments.calls(Mailbox.class, BOB),
            NullArguments.calls(NewMail.class, null),
            NullArguments.calls(NewMail.class, NEW),
            NullArguments.calls(Received.class, null),
            NullArguments.calls(Received.class, Received.of(BOB, SENT, "t", Instant.EPOCH, false)),
            NullArguments.calls(Mailbox.Listed.class, null),
            NullArguments.calls(MailTools.class, new MailTools("shop", "bob", SECOND)))
        .flatMap(calls -> calls);
  }

  @ParameterizedTest(name = "{0}, argument {1}", autoCloseArguments = false)
  @MethodSource("calls")
  void nullArgument_isNamed(Method method, int index, Object target) {
    NullArguments.assertNamed(method, index, target, SAMPLES);
  }

  @Test
  void nullInList_isNamed() {
    List<String> hole = Arrays.asList("a", null);
    assertThatNullPointerException().isThrownBy(() -> NEW.to(hole)).withMessage("box");
    assertThatNullPointerException().isThrownBy(() -> NEW.to("a", null)).withMessage("box");
    assertThatNullPointerException().isThrownBy(() -> NEW.tags(hole)).withMessage("tag");
  }
}
