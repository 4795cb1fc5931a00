package dev.ralph.core.internal.question;

import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.domain.message.Messages;
import dev.ralph.log.Ledger;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The questions of a session, as a state that is decided on. */
public final class LedgerQuestions implements Questions {

  private final Ledger<AskedQuestions> ledger;
  private final Ledger<Messages> messages;
  private final TopicFilter messageFrames;
  private final QuestionDecider decider;
  private final Topic topic;

  /**
   * Makes the present questions, or past ones.
   *
   * @param messages the session's messages, among which answers are sent
   */
  public LedgerQuestions(
      Ledger<AskedQuestions> ledger, Topic topic, Ledger<Messages> messages, Topic inboxTopic) {
    this.ledger = ledger;
    this.messages = messages;
    this.messageFrames = TopicFilter.of(inboxTopic);
    this.decider = new QuestionDecider(topic, inboxTopic);
    this.topic = topic;
  }

  @Override
  public Question ask(String text, @Nullable String by, int iteration) {
    Objects.requireNonNull(text, "text");
    return ledger.decide(
        "asking on " + topic, (questions, now) -> decider.ask(questions, text, by, iteration, now));
  }

  @Override
  public List<Question> open() {
    return ledger.state().open();
  }

  @Override
  public List<Question> history() {
    return ledger.state().list();
  }

  @Override
  public Question get(String ref) {
    Objects.requireNonNull(ref, "ref");
    return ledger.state().get(ref);
  }

  @Override
  public Optional<Question> await(String ref, Duration timeout) throws InterruptedException {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(timeout, "timeout");
    String id = get(ref).id();
    return ledger
        .await(questions -> !questions.get(id).isOpen(), timeout)
        .map(questions -> questions.get(id));
  }

  @Override
  public Question answer(String ref, String text, @Nullable String by) {
    Objects.requireNonNull(ref, "ref");
    Objects.requireNonNull(text, "text");
    return ledger.decide(
        "answering " + ref + " of " + topic,
        messageFrames,
        (questions, now) -> decider.answer(questions, messages.state(), ref, text, by, now));
  }
}
