package dev.ralph.core.internal.question;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ralph.Message;
import dev.ralph.Question;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.core.internal.view.Replay;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of questions; answers that reach the inbox are tested with a memory store. */
class QuestionRulesTest {

  private final QuestionDecider decider =
      new QuestionDecider(Topic.of("ralph.test.question"), Topic.of("ralph.test.inbox"));
  private final Replay<?, AskedQuestions> log = Replay.reading(QuestionFold::new);

  private Question ask(String text) {
    return log.append(decider.ask(log.state(), text, "ann", 3, Replay.NOW));
  }

  @Test
  void question_isOpenUntilAnswered() {
    assertThat(ask("Which port?").number()).isEqualTo(1);
    Question second = ask("Which host?");
    assertThat(second.isOpen()).isTrue();
    assertThat(second.by()).isEqualTo("ann");
    assertThat(second.iteration()).isEqualTo(3);
    log.frame("{'action':'answer','id':'" + second.id() + "','by':'bob'}", "localhost");
    assertThat(log.state().open()).extracting(Question::text).containsExactly("Which port?");
    assertThat(log.state().list()).extracting(Question::answer).containsExactly(null, "localhost");
    assertThat(log.state().list().get(1).answeredBy()).isEqualTo("bob");
  }

  @Test
  void openQuestion_isNotAskedTwice() {
    Question first = ask("Which port?");
    assertThat(decider.ask(log.state(), "Which port?", null, 0, Replay.NOW).drafts()).isEmpty();
    log.frame("{'action':'answer','id':'" + first.id() + "'}", "80");
    assertThat(ask("Which port?").number()).isEqualTo(2);
  }

  @Test
  void firstAnswer_counts() {
    Question question = ask("Which port?");
    log.frame("{'action':'answer','id':'" + question.id() + "'}", "80");
    log.frame("{'action':'answer','id':'" + question.id() + "'}", "81");
    assertThat(log.state().list().get(0).answer()).isEqualTo("80");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'action':'dance'}",
        "{'action':'answer'}",
        "{'action':'answer','id':'0000000000000000000000000'}",
      })
  void invalidFrame_changesNothing(String meta) {
    ask("Which port?");
    log.frame(meta, "text");
    assertThat(log.state().open()).hasSize(1);
    assertThat(log.state().list()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n"})
  void questionWithoutText_isRejected(String text) {
    assertThatThrownBy(() -> ask(text)).hasMessage("a question needs a text");
  }

  @Test
  void encodedState_isDecodedUnchanged() {
    Question first = ask("Which port?");
    ask("Which host?\n\u0000");
    log.frame("{'action':'answer','id':'" + first.id() + "','by':'bob'}", "80");
    List<Question> before = log.state().list();
    log.encodeAndDecode();
    assertThat(log.state().list())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(AskedQuestions.class)
        .isEqualTo(before);
    assertThat(ask("More?").number()).isEqualTo(3);
  }

  @Test
  void answer_isAMessageNamingTheQuestion() {
    try (Ralph ralph = Ralph.inMemory()) {
      Session session = ralph.session("test");
      session.inbox().send("before");
      Question question = session.questions().ask("Which port?");
      Question answered = session.questions().answer("q1", "8080", "bob");
      assertThat(answered.answer()).isEqualTo("8080");
      assertThat(session.questions().open()).isEmpty();
      Message message = session.inbox().get("m2");
      assertThat(message.text()).isEqualTo("Answer to your question q1 Which port?\n8080");
      assertThat(message.question()).isEqualTo(question.id());
      assertThat(message.by()).isEqualTo("bob");

      assertThatThrownBy(() -> session.questions().answer("q1", "81"))
          .isInstanceOf(RalphException.class)
          .hasMessage("q1 is already answered: '8080'; to add to the answer, send a message");
      assertThat(session.inbox().history()).hasSize(2);
      assertThatThrownBy(() -> session.questions().answer("q2", "x")).hasMessageContaining("q2");
      session.questions().ask("And the host?");
      assertThatThrownBy(() -> session.questions().answer("q2", " "))
          .hasMessage("an answer needs a text");
    }
  }
}
