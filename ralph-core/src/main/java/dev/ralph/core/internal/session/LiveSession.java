package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.AgentInbox;
import dev.ralph.Control;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.control.ControlFold;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.Steering;
import dev.ralph.core.internal.inbox.LedgerInbox;
import dev.ralph.core.internal.iteration.IterationFold;
import dev.ralph.core.internal.iteration.Iterations;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.message.MessageFold;
import dev.ralph.core.internal.message.Messages;
import dev.ralph.core.internal.note.LedgerNoteLog;
import dev.ralph.core.internal.note.NoteFold;
import dev.ralph.core.internal.note.Notes;
import dev.ralph.core.internal.question.AskedQuestions;
import dev.ralph.core.internal.question.LedgerQuestions;
import dev.ralph.core.internal.question.QuestionFold;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.core.internal.task.TaskFold;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.core.internal.tool.OpenTools;
import dev.ralph.core.internal.view.FoldLedger;
import dev.ralph.core.internal.view.PastLedger;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.domain.TextSource;
import dev.ralph.log.Durability;
import dev.ralph.log.Fold;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Ledger;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.Topic;
import dev.ralph.log.TopicFilter;
import dev.ralph.tool.AgentTools;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A session as it stands at present. Nothing is read before something is asked. Safe for use by
 * many threads.
 */
public final class LiveSession implements Session {

  private static final Set<String> HANDING =
      Set.of("deliver", "renew", "release", "iteration_end", "expire");

  private final String name;
  private final StoreHandle log;
  private final Redactor redactor;
  private final LoopFactory loops;
  private final SessionTopics topics;

  private final Ledger<Tasks> taskLedger;
  private final Ledger<Notes> noteLedger;
  private final Ledger<Messages> messageLedger;
  private final Ledger<AskedQuestions> questionLedger;
  private final Ledger<Iterations> iterationLedger;
  private final Ledger<Steering> steeringLedger;

  private final LedgerTaskLog tasks;
  private final LedgerNoteLog notes;
  private final LedgerInbox inbox;
  private final LedgerQuestions questions;
  private final LedgerIterationLog iterations;
  private final LedgerControl control;

  /**
   * Makes a session.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @param redactor for what agents say
   * @throws dev.ralph.log.RalphException INVALID for any other name
   */
  public LiveSession(String name, StoreHandle log, Redactor redactor, LoopFactory loops) {
    this.name = name;
    this.log = log;
    this.redactor = redactor;
    this.loops = loops;
    this.topics = new SessionTopics(name);
    TextSource texts = new TextSource(log::find);
    this.taskLedger = ledger(topics.task(), new TaskFold(texts));
    this.noteLedger = ledger(topics.note(), new NoteFold(texts));
    this.messageLedger = ledger(topics.inbox(), new MessageFold(texts));
    this.questionLedger = ledger(topics.question(), new QuestionFold(texts));
    this.iterationLedger = ledger(topics.iteration(), new IterationFold());
    this.steeringLedger = ledger(topics.control(), new ControlFold());
    this.tasks = new LedgerTaskLog(taskLedger, topics.task(), log.clock(), Redactor.none());
    this.notes = new LedgerNoteLog(noteLedger, topics.note(), redactor);
    this.iterations =
        new LedgerIterationLog(
            iterationLedger,
            topics.iteration(),
            topics.output(),
            log.store(),
            frame -> true,
            draft -> log.append(List.of(draft), Durability.OS));
    this.control =
        new LedgerControl(
            steeringLedger,
            topics.control(),
            taskLedger,
            topics.task(),
            messageLedger,
            topics.inbox(),
            log.clock(),
            false);
    this.inbox =
        new LedgerInbox(
            messageLedger, topics.inbox(), log.clock(), () -> prompted(iterations, control));
    this.questions =
        new LedgerQuestions(
            questionLedger,
            topics.question(),
            messageLedger,
            topics.inbox(),
            redactor,
            () -> running(iterations, control));
  }

  /** Makes the same session, on the same state, for an agent. */
  private LiveSession(LiveSession same) {
    this.name = same.name;
    this.log = same.log;
    this.redactor = same.redactor;
    this.loops = same.loops;
    this.topics = same.topics;
    this.taskLedger = same.taskLedger;
    this.noteLedger = same.noteLedger;
    this.messageLedger = same.messageLedger;
    this.questionLedger = same.questionLedger;
    this.iterationLedger = same.iterationLedger;
    this.steeringLedger = same.steeringLedger;
    this.tasks = new LedgerTaskLog(taskLedger, topics.task(), log.clock(), redactor);
    this.notes = same.notes;
    this.inbox = same.inbox;
    this.questions = same.questions;
    this.iterations = same.iterations;
    this.control = same.control;
  }

  @Override
  public LiveSession asAgent() {
    return new LiveSession(this);
  }

  @Override
  public AgentTools openTools(ToolSettings settings) {
    return new OpenTools(() -> this, Objects.requireNonNull(settings, "settings"));
  }

  private <S, R> Ledger<R> ledger(Topic topic, Fold<S, R> fold) {
    return new FoldLedger<>(log, TopicFilter.of(topic), fold);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public LedgerTaskLog tasks() {
    return tasks;
  }

  @Override
  public LedgerNoteLog notes() {
    return notes;
  }

  @Override
  public LedgerInbox inbox() {
    return inbox;
  }

  @Override
  public AgentInbox agentInbox() {
    return inbox;
  }

  @Override
  public Clock clock() {
    return log.clock();
  }

  @Override
  public LedgerQuestions questions() {
    return questions;
  }

  @Override
  public LedgerIterationLog iterations() {
    return iterations;
  }

  @Override
  public LedgerControl control() {
    return control;
  }

  @Override
  public Session at(Frame frame) {
    Objects.requireNonNull(frame, "frame");
    return at(Moment.after(log, frame));
  }

  @Override
  public Session at(Instant time) {
    Objects.requireNonNull(time, "time");
    return at(Moment.at(log, topics.all(), time));
  }

  private Session at(Moment moment) {
    Clock then = Clock.fixed(moment.time(), log.clock().getZone());
    var pastTasks = moment.of(taskLedger);
    var pastMessages = moment.of(messageLedger);
    var pastIterations =
        new LedgerIterationLog(
            moment.of(iterationLedger),
            topics.iteration(),
            topics.output(),
            log.store(),
            moment::includes,
            draft -> {
              throw PastLedger.unchangeable();
            });
    var pastControl =
        new LedgerControl(
            moment.of(steeringLedger),
            topics.control(),
            pastTasks,
            topics.task(),
            pastMessages,
            topics.inbox(),
            then,
            true);
    return new PastSession(
        this,
        then,
        new LedgerTaskLog(pastTasks, topics.task(), then, redactor),
        new LedgerNoteLog(moment.of(noteLedger), topics.note(), redactor),
        new LedgerInbox(
            pastMessages, topics.inbox(), then, () -> prompted(pastIterations, pastControl)),
        new LedgerQuestions(
            moment.of(questionLedger),
            topics.question(),
            pastMessages,
            topics.inbox(),
            redactor,
            () -> running(pastIterations, pastControl)),
        pastIterations,
        pastControl);
  }

  /** Returns the number of the iteration whose agent runs, 0 if none does. */
  private static int running(LedgerIterationLog iterations, LedgerControl control) {
    return prompted(iterations, control).isPresent()
        ? iterations.last().map(Iteration::number).orElse(0)
        : 0;
  }

  /** An iteration that a killed loop left open has no agent any more that saw its prompt. */
  private static Optional<String> prompted(LedgerIterationLog iterations, LedgerControl control) {
    Optional<String> running = iterations.running();
    return running.isPresent() && control.running().filter(Control.RunningLoop::live).isPresent()
        ? running
        : Optional.empty();
  }

  @Override
  public Session fork(String name) {
    return fork(this, name);
  }

  @Override
  public Session fork(Ralph other, String name) {
    return fork(this, other, name);
  }

  /** Begins a session of this store with what this one holds at a moment. */
  Session fork(Session moment, String name) {
    Objects.requireNonNull(name, "name");
    begin(moment, log.store(), name);
    return new LiveSession(name, log, redactor, loops);
  }

  /** Begins a session of another store with what this one holds at a moment. */
  Session fork(Session moment, Ralph other, String name) {
    Objects.requireNonNull(other, "other");
    Objects.requireNonNull(name, "name");
    begin(moment, other.log(), name);
    return other.session(name);
  }

  private void begin(Session moment, FrameLog target, String name) {
    Fork.begin(moment, log.store().info().storeId(), target, name, log.clock());
  }

  @Override
  public void delete() {
    Deletion.delete(log, topics, name, control);
  }

  @Override
  public Loop.Builder loop(Agent agent) {
    return loops.loop(this, agent);
  }

  /**
   * Returns what is kept of a text that an agent's end must not wait for: a word on it, if the
   * redactor fails.
   */
  public String redacted(String text) {
    try {
      return Objects.requireNonNull(redactor.redact(text), "the redactor returned null");
    } catch (RuntimeException e) {
      System.getLogger(LiveSession.class.getName())
          .log(System.Logger.Level.WARNING, "the redactor failed, so a text is not kept", e);
      return "[not kept, because the redactor failed: " + e.getClass().getName() + "]\n";
    }
  }

  /** Returns the log that the session is reduced from, for a loop. */
  public StoreHandle log() {
    return log;
  }

  /**
   * Follows what is said to the session's loop from now on: orders, answers, messages, tasks. The
   * follower must be closed.
   */
  public Follower followControl() {
    TopicFilter orders =
        TopicFilter.of(topics.control(), topics.question(), topics.inbox(), topics.task());
    Position now = log.store().last(orders).map(Frame::position).orElse(Position.START);
    return log.store().follow(Query.of(orders).after(now));
  }

  /** Returns the place behind all work in the session so far. */
  public Position endOfWork() {
    return log.store().last(topics.work()).map(Frame::position).orElse(Position.START);
  }

  /**
   * Returns what was written behind a place about tasks, notes, messages and questions: not all of
   * it is work, see {@link #isWork}. A claim that all is done is none. The cursor must be closed.
   */
  public FrameCursor workBehind(Position position) {
    return log.store().read(Query.of(topics.work()).after(position));
  }

  /** Returns whether a frame is more than who has a message in hand: each refusal says that. */
  public boolean isWork(Frame frame) {
    String action = frame.topic().equals(topics.inbox()) ? frame.meta().string("action") : null;
    return action == null || !HANDING.contains(action);
  }

  @Override
  public String toString() {
    return "session " + name;
  }
}
