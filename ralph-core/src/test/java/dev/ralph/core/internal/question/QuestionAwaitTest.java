package dev.ralph.core.internal.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.RalphException;
import dev.ralph.Session;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for the operator's answer. */
@Timeout(300)
class QuestionAwaitTest {

  private static final Duration LONG = Duration.ofMinutes(10);

  private final Ralph ralph = Ralph.inMemory();
  private final Session session = ralph.session("s");

  @AfterEach
  void close() {
    ralph.close();
  }

  @Test
  void anAnswerEndsTheWait() throws Exception {
    session.questions().ask("Which port?");
    session.questions().ask("Which host?");
    FutureTask<Optional<Question>> waits =
        new FutureTask<>(() -> session.questions().await("q1", LONG));
    Thread agent = new Thread(waits, "agent of the test");
    agent.start();

    session.questions().answer("q2", "localhost");
    session.questions().answer("q1", "8080", "Ann");

    Question answered = waits.get(1, TimeUnit.MINUTES).orElseThrow();
    assertThat(answered.number()).isEqualTo(1);
    assertThat(answered.answer()).isEqualTo("8080");
    assertThat(answered.answeredBy()).isEqualTo("Ann");
  }

  @Test
  void whatWasAnsweredBeforeIsReturnedAtOnce() throws Exception {
    session.questions().ask("Which port?");
    session.questions().answer("q1", "8080");

    assertThat(session.questions().await("q1", Duration.ZERO).orElseThrow().answer())
        .isEqualTo("8080");
  }

  @Test
  void nothingIsReturnedWhereNobodyAnswersInTime() throws Exception {
    session.questions().ask("Which port?");

    assertThat(session.questions().await("q1", Duration.ofMillis(20))).isEmpty();
  }

  @Test
  void thereMustBeSuchAQuestion() {
    assertThatThrownBy(() -> session.questions().await("q1", LONG))
        .isInstanceOf(RalphException.class)
        .extracting(e -> ((RalphException) e).code())
        .isEqualTo(RalphException.Code.NOT_FOUND);
  }
}
