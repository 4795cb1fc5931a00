package dev.ralph.core.internal.session;

import dev.ralph.core.internal.control.Activities;
import dev.ralph.core.internal.control.ActivityFold;
import dev.ralph.core.internal.control.ControlFold;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.iteration.IterationFold;
import dev.ralph.core.internal.iteration.Iterations;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.note.NoteFold;
import dev.ralph.core.internal.note.Notes;
import dev.ralph.core.internal.question.AskedQuestions;
import dev.ralph.core.internal.question.QuestionFold;
import dev.ralph.core.internal.step.StepFold;
import dev.ralph.core.internal.step.StepState;
import dev.ralph.core.internal.task.TaskFold;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.core.internal.view.FencedLedger;
import dev.ralph.core.internal.view.FoldLedger;
import dev.ralph.core.internal.view.LiveLedger;
import dev.ralph.core.internal.view.SeenLedger;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.core.internal.view.SignedLedger;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Fold;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import java.util.Map;

/** The ledgers of a session. */
record SessionLedgers(
    LiveLedger<Tasks> tasks,
    LiveLedger<Notes> notes,
    LiveLedger<Messages> messages,
    LiveLedger<AskedQuestions> questions,
    LiveLedger<Iterations> iterations,
    LiveLedger<ControlState> control,
    LiveLedger<Activities> activities,
    LiveLedger<Map<String, StepState>> steps) {

  static SessionLedgers of(StoreHandle log, SessionTopics topics) {
    TextSource texts = new TextSource(log::find);
    return new SessionLedgers(
        ledger(log, topics.task(), new TaskFold(texts)),
        ledger(log, topics.note(), new NoteFold(texts)),
        ledger(log, topics.inbox(), new MessageFold(texts)),
        ledger(log, topics.question(), new QuestionFold(texts)),
        ledger(log, topics.iteration(), new IterationFold()),
        ledger(log, topics.control(), new ControlFold()),
        ledger(log, topics.activity(), new ActivityFold()),
        ledger(log, topics.step(), new StepFold()));
  }

  private static <S, R> LiveLedger<R> ledger(StoreHandle log, Topic topic, Fold<S, R> fold) {
    return new FoldLedger<>(log, TopicFilter.of(topic), fold);
  }

  /**
   * Returns these ledgers with a check before each decision.
   *
   * @param fence selects the frames that the check depends on
   * @param check throws if the decision is not permitted
   */
  SessionLedgers fenced(TopicFilter fence, Runnable check) {
    return new SessionLedgers(
        new FencedLedger<>(tasks, fence, check),
        new FencedLedger<>(notes, fence, check),
        new FencedLedger<>(messages, fence, check),
        new FencedLedger<>(questions, fence, check),
        new FencedLedger<>(iterations, fence, check),
        new FencedLedger<>(control, fence, check),
        activities,
        new FencedLedger<>(steps, fence, check));
  }

  /**
   * Returns these ledgers with a person's name in all task, note and control frames. Other frames
   * have their own member for the author.
   */
  SessionLedgers signed(String person) {
    return new SessionLedgers(
        new SignedLedger<>(tasks, person),
        new SignedLedger<>(notes, person),
        messages,
        questions,
        iterations,
        new SignedLedger<>(control, person),
        activities,
        steps);
  }

  /** Returns these ledgers as of a shared reading. */
  SessionLedgers seen(SharedReading reading) {
    return new SessionLedgers(
        new SeenLedger<>(tasks, reading),
        new SeenLedger<>(notes, reading),
        new SeenLedger<>(messages, reading),
        new SeenLedger<>(questions, reading),
        new SeenLedger<>(iterations, reading),
        new SeenLedger<>(control, reading),
        activities,
        steps);
  }
}
