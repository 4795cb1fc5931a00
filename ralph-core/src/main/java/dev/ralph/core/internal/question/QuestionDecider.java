package dev.ralph.core.internal.question;

import dev.ralph.NewMessage;
import dev.ralph.Question;
import dev.ralph.core.internal.message.MailHeaders;
import dev.ralph.core.internal.message.MessageRules;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.domain.KeptText;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for asking and answering questions. */
final class QuestionDecider {

  private final Topic topic;
  private final MessageRules inbox;

  QuestionDecider(Topic topic, Topic inboxTopic) {
    this.topic = topic;
    this.inbox = new MessageRules(inboxTopic);
  }

  Decision<AskedQuestions, Question> ask(
      AskedQuestions questions, String text, @Nullable String by, int iteration, Instant now) {
    if (text.isBlank()) {
      throw RalphException.invalid("a question needs a text");
    }
    if (iteration < 0) {
      throw RalphException.invalid("an iteration must not be negative: " + iteration);
    }
    int open = questions.findOpen(text);
    if (open >= 0) {
      return Decision.nothing(questions.view(open));
    }
    Meta meta =
        Meta.of("action", "ask")
            .with("n", questions.highestNumber() + 1)
            .with("timestamp", Timestamp.of(now))
            .with("by", by)
            .with("iteration", iteration == 0 ? null : iteration);
    return Decision.append(
        List.of(Draft.of(topic, KeptText.announce(meta, text), text)),
        (after, frames) -> after.get(frames.get(0).id()));
  }

  /** Appends an answer, and a message to the agents with the question and the answer. */
  Decision<AskedQuestions, Question> answer(
      AskedQuestions questions,
      Messages messages,
      String ref,
      String text,
      @Nullable String by,
      Instant now) {
    if (text.isBlank()) {
      throw RalphException.invalid("an answer needs a text");
    }
    int index = questions.find(ref);
    QuestionEntry question = questions.entry(index);
    QuestionEntry.Answer former = question.answer();
    if (former != null) {
      throw RalphException.invalid(
          questions.reference(index)
              + " is already answered: "
              + RalphException.quote(former.text().toString())
              + "; to add to the answer, send a message");
    }
    Meta meta = Meta.of("action", "answer").with("id", question.id()).with("by", by);
    NewMessage message =
        NewMessage.of("Answer to your question " + questions.describe(index) + "\n" + text).by(by);
    return Decision.append(
        List.of(
            Draft.of(topic, KeptText.announce(meta, text), text),
            inbox.draft(messages, message, MailHeaders.EMPTY, question.id(), null, now)),
        (after, frames) -> after.view(index));
  }
}
