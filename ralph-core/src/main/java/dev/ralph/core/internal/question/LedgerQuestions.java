package dev.ralph.core.internal.question;

import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.Redactor;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.log.Decision;
import dev.ralph.log.Ledger;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Questions whose changes are decided on the session's frames. */
public final class LedgerQuestions implements Questions {

  private final Ledger<AskedQuestions> ledger;
  private final Ledger<Messages> messages;
  private final TopicFilter messageFrames;
  private final QuestionDecider decider;
  private final MessageRules inbox;
  private final Topic topic;
  private final Redactor redactor;
  private final IntUnaryOperator running;

  /**
   * Creates the present questions, or past ones.
   *
   * @param messages the session's messages, which receive the answers
   * @param redactor redacts question texts
   * @param running returns the number of the running iteration, or 0; of several, the given number,
   *     or else the newest
   */
  public LedgerQuestions(
      Ledger<AskedQuestions> ledger,
      Topic topic,
      Ledger<Messages> messages,
      Topic inboxTopic,
      Redactor redactor,
      IntUnaryOperator running) {
    this.ledger = ledger;
    this.messages = messages;
    this.messageFrames = TopicFilter.of(inboxTopic);
    this.decider = new QuestionDecider(topic, inboxTopic);
    this.inbox = new MessageRules(inboxTopic);
    this.topic = topic;
    this.redactor = redactor;
    this.running = running;
  }

  @Override
  public Question ask(String text, @Nullable String by, int iteration) {
    Objects.requireNonNull(text, "text");
    String kept = redactor.redact(text);
    return ledger.decide(
        "asking on " + topic, (questions, now) -> decider.ask(questions, kept, by, iteration, now));
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
    Optional<Question> answered =
        ledger
            .await(questions -> !questions.get(id).isOpen(), timeout)
            .map(questions -> questions.get(id));
    answered.ifPresent(this::settle);
    return answered;
  }

  /**
   * Marks the message with an answer as read after a wait returned the answer. If the question was
   * asked in an iteration, the mark is final only after the iteration succeeds.
   */
  private void settle(Question question) {
    int asked = question.iteration();
    int now = asked == 0 ? 0 : running.applyAsInt(asked);
    int iteration = now == 0 ? asked : now;
    try {
      if (messages.state().unreadAnswer(question.id()) >= 0) {
        messages.decide(
            "marking the answer to q" + question.number() + " as read",
            (state, time) -> {
              int index = state.unreadAnswer(question.id());
              return index < 0
                  ? Decision.nothing(false)
                  : Decision.append(
                      inbox.markRead(state.entry(index), question.by(), iteration, null),
                      after -> true);
            });
      }
    } catch (RalphException e) {
      // Past states throw too. The answer is valid; at worst the agent gets the message again.
      System.getLogger(LedgerQuestions.class.getPackageName())
          .log(Level.DEBUG, "the message with an answer could not be marked as read", e);
    }
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
