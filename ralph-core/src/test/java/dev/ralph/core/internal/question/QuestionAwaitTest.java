package dev.ralph.core.internal.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.AgentResult;
import dev.ralph.LoopResult;
import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.StopReason;
import dev.ralph.log.RalphException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
  void answer_endsTheWait() throws Exception {
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
  void earlierAnswer_isReturnedAtOnce() throws Exception {
    session.questions().ask("Which port?");
    session.questions().answer("q1", "8080");

    assertThat(session.questions().await("q1", Duration.ZERO).orElseThrow().answer())
        .isEqualTo("8080");
  }

  @Test
  void timeout_returnsNoAnswer() throws Exception {
    session.questions().ask("Which port?");

    assertThat(session.questions().await("q1", Duration.ofMillis(20))).isEmpty();
  }

  @Test
  void unknownQuestion_isNotFound() {
    assertThatThrownBy(() -> session.questions().await("q1", LONG))
        .isInstanceOf(RalphException.class)
        .extracting(e -> ((RalphException) e).code())
        .isEqualTo(RalphException.Code.NOT_FOUND);
  }

  @Test
  void awaitedAnswer_marksItsMessageRead() throws Exception {
    LoopResult result =
        session
            .loop(
                turn -> {
                  Session s = turn.session();
                  Question asked = s.questions().ask("Which port?", "agent", turn.iteration());
                  s.inbox().send("unlike the answer");
                  s.questions().answer(asked.id(), "8080");
                  s.questions().await(asked.id(), LONG);
                  assertThat(s.inbox().unread())
                      .extracting(Message::text)
                      .containsExactly("unlike the answer");
                  s.inbox().markRead("m1");
                  s.control().complete();
                  return AgentResult.success();
                })
            .maxIterations(1)
            .run();
    assertThat(result.reason()).isEqualTo(StopReason.COMPLETED);
    assertThat(session.inbox().unread()).isEmpty();
  }

  @Test
  void answerAwaitedInFailedIteration_isShownAgain() {
    List<String> prompts = new ArrayList<>();
    session
        .loop(
            turn -> {
              prompts.add(turn.prompt());
              Session s = turn.session();
              if (turn.iteration() == 1) {
                s.questions().ask("Which port?", "agent", 1);
              } else if (turn.iteration() == 2) {
                s.questions().answer("q1", "8080");
                s.questions().await("q1", LONG);
                return AgentResult.failure("crash");
              }
              return AgentResult.success();
            })
        .failurePause(Duration.ofMillis(1))
        .maxIterations(3)
        .run();
    assertThat(prompts.get(2)).contains("Answer to your question q1", "8080");
  }

  @Test
  void answerOfFailedIteration_isInTheNextPrompt() {
    List<String> prompts = new ArrayList<>();
    session
        .loop(
            turn -> {
              prompts.add(turn.prompt());
              if (turn.iteration() == 1) {
                Session s = turn.session();
                Question asked = s.questions().ask("Which port?", "agent", 1);
                s.questions().answer(asked.id(), "8080");
                s.questions().await(asked.id(), LONG);
                assertThat(s.inbox().unread()).isEmpty();
                return AgentResult.failure("crash");
              }
              return AgentResult.success();
            })
        .failurePause(Duration.ofMillis(1))
        .maxIterations(2)
        .run();
    assertThat(prompts.get(1)).contains("Answer to your question q1", "8080");
  }

  @Test
  void answerInPastSession_changesNothing() throws Exception {
    session.questions().ask("Which port?");
    session.questions().answer("q1", "8080");

    Session past = session.at(Instant.now().plusSeconds(1));

    assertThat(past.questions().await("q1", LONG).orElseThrow().answer()).isEqualTo("8080");
    assertThat(session.inbox().unread()).hasSize(1);
  }
}
