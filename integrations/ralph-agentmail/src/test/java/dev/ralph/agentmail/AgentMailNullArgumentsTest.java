package dev.ralph.agentmail;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.ralph.core.NullArguments;
import dev.ralph.mail.Mailbox;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a null argument is rejected with the argument's name. */
class AgentMailNullArgumentsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final Map<Class<?>, Object> SAMPLES =
      Map.of(
          String.class,
          "x",
          Path.class,
          Path.of(""),
          Consumer.class,
          (Consumer<Object>) event -> {});

  @TempDir static Path repository;

  @BeforeAll
  static void makeRepository() throws IOException {
    Files.createDirectory(repository.resolve(".git"));
  }

  private static Stream<Arguments> calls() {
    return Stream.concat(
        NullArguments.calls(AgentMail.class, null),
        NullArguments.calls(AgentMail.class, AgentMail.of(repository)));
  }

  @ParameterizedTest(name = "{0}, argument {1}")
  @MethodSource("calls")
  void nullArgument_isNamed(Method method, int index, Object target) {
    NullArguments.assertNamed(method, index, target, SAMPLES);
  }

  @Test
  void nullArgumentOfFileMailbox_isNamed() {
    Mailbox box = AgentMail.of(repository).box("bob");
    assertThatNullPointerException().isThrownBy(() -> box.send(null)).withMessage("mail");
    assertThatNullPointerException().isThrownBy(() -> box.receive(null)).withMessage("lease");
    assertThatNullPointerException()
        .isThrownBy(() -> box.receive(SECOND, null))
        .withMessage("timeout");
    assertThatNullPointerException().isThrownBy(() -> box.get(null)).withMessage("ref");
    assertThatNullPointerException().isThrownBy(() -> box.ack("x", null)).withMessage("token");
  }
}
