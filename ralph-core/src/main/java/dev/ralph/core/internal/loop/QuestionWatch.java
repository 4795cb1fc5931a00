package dev.ralph.core.internal.loop;

import dev.ralph.LoopEvent;
import dev.ralph.Question;
import dev.ralph.Questions;
import dev.ralph.log.ClosedException;
import dev.ralph.log.Meta;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.List;

/** Tells the listeners of each question that is asked while the loop runs. For one thread. */
final class QuestionWatch {

  private static final System.Logger LOG = System.getLogger(QuestionWatch.class.getPackageName());

  /** Of a question, in characters: the rest is for who asks for the question. */
  private static final int SHOWN = 1_500;

  private final Questions questions;
  private final Listeners events;

  /** How many questions were asked so far; negative until the loop has begun. */
  private int known = -1;

  QuestionWatch(Questions questions, Listeners events) {
    this.questions = questions;
    this.events = events;
  }

  /**
   * Tells of what was asked since the last look; the first look finds what was there before.
   *
   * @throws RalphException NOT_FOUND if the store was deleted or moved, CLOSED if the host closed
   *     it: an agent that goes on then works for nothing
   */
  void look() {
    List<Question> all;
    try {
      all = questions.history();
    } catch (NotFoundException | ClosedException e) {
      throw e;
    } catch (RalphException e) {
      // The next look may get through. What the agent does must not depend on this.
      LOG.log(Level.DEBUG, "questions could not be read", e);
      return;
    }
    if (known >= 0) {
      all.subList(Math.min(known, all.size()), all.size()).forEach(this::tell);
    }
    known = all.size();
  }

  private static String beginning(Question question) {
    return question.beginning(SHOWN) + (question.length() > SHOWN ? "…" : "");
  }

  private void tell(Question question) {
    events.emit(
        LoopEvent.Type.QUESTION,
        question.iteration(),
        "question q" + question.number() + ": " + beginning(question),
        Meta.of("ref", "q" + question.number())
            .with("id", question.id())
            .with("text", question.beginning(SHOWN))
            .with("length", question.length() > SHOWN ? question.length() : null)
            .with("by", question.by()),
        head -> new LoopEvent.Asked(head, question));
  }
}
