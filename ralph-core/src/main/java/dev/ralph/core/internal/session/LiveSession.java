package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.Control;
import dev.ralph.Loop;
import dev.ralph.Session;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.Steering;
import dev.ralph.core.internal.inbox.LedgerInbox;
import dev.ralph.core.internal.inbox.Messages;
import dev.ralph.core.internal.iteration.Iterations;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.note.LedgerNoteLog;
import dev.ralph.core.internal.note.Notes;
import dev.ralph.core.internal.question.AskedQuestions;
import dev.ralph.core.internal.question.LedgerQuestions;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.core.internal.task.Tasks;
import dev.ralph.core.internal.view.FoldLedger;
import dev.ralph.core.internal.view.Log;
import dev.ralph.core.internal.view.Moment;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.TopicFilter;
import dev.ralph.tool.AgentInbox;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/**
 * A session as it stands at present. Nothing is read before something is asked. Safe for use by
 * many threads.
 */
public final class LiveSession implements Session {

  private final String name;
  private final Log log;
  private final LoopFactory loops;
  private final SessionTopics topics;

  private final FoldLedger<?, Tasks> taskLedger;
  private final FoldLedger<?, Notes> noteLedger;
  private final FoldLedger<?, Messages> messageLedger;
  private final FoldLedger<?, AskedQuestions> questionLedger;
  private final FoldLedger<?, Iterations> iterationLedger;
  private final FoldLedger<?, Steering> steeringLedger;

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
   * @throws dev.ralph.RalphException INVALID for any other name
   */
  public LiveSession(String name, Log log, LoopFactory loops) {
    this.name = name;
    this.log = log;
    this.loops = loops;
    this.topics = new SessionTopics(name);
    this.taskLedger = LedgerTaskLog.ledger(log, topics.task());
    this.noteLedger = LedgerNoteLog.ledger(log, topics.note());
    this.messageLedger = LedgerInbox.ledger(log, topics.inbox());
    this.questionLedger = LedgerQuestions.ledger(log, topics.question());
    this.iterationLedger = LedgerIterationLog.ledger(log, topics.iteration());
    this.steeringLedger = LedgerControl.ledger(log, topics.control());
    this.tasks = new LedgerTaskLog(taskLedger, topics.task(), log.clock());
    this.notes = new LedgerNoteLog(noteLedger, topics.note());
    this.iterations =
        new LedgerIterationLog(log, iterationLedger, topics.iteration(), topics.output(), null);
    this.control =
        new LedgerControl(
            steeringLedger,
            topics.control(),
            taskLedger,
            topics.task(),
            messageLedger,
            topics.inbox());
    this.inbox =
        new LedgerInbox(
            messageLedger, topics.inbox(), log.clock(), () -> prompted(iterations, control));
    this.questions =
        new LedgerQuestions(questionLedger, topics.question(), messageLedger, topics.inbox());
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
    return at(Moment.after(log, frame));
  }

  @Override
  public Session at(Instant time) {
    return at(Moment.at(time));
  }

  private Session at(Moment moment) {
    Clock then = Clock.fixed(moment.time(), log.clock().getZone());
    var pastTasks = moment.ledger(taskLedger.view());
    var pastMessages = moment.ledger(messageLedger.view());
    var pastIterations =
        new LedgerIterationLog(
            log,
            moment.ledger(iterationLedger.view()),
            topics.iteration(),
            topics.output(),
            moment);
    var pastControl =
        new LedgerControl(
            moment.ledger(steeringLedger.view()),
            topics.control(),
            pastTasks,
            topics.task(),
            pastMessages,
            topics.inbox());
    return new PastSession(
        this,
        then,
        new LedgerTaskLog(pastTasks, topics.task(), then),
        new LedgerNoteLog(moment.ledger(noteLedger.view()), topics.note()),
        new LedgerInbox(
            pastMessages, topics.inbox(), then, () -> prompted(pastIterations, pastControl)),
        new LedgerQuestions(
            moment.ledger(questionLedger.view()), topics.question(), pastMessages, topics.inbox()),
        pastIterations,
        pastControl);
  }

  /** An iteration that a killed loop left open has no agent any more that saw its prompt. */
  private static Optional<String> prompted(LedgerIterationLog iterations, LedgerControl control) {
    Optional<String> running = iterations.running();
    return running.isPresent() && control.running().filter(Control.RunningLoop::live).isPresent()
        ? running
        : Optional.empty();
  }

  @Override
  public Loop.Builder loop(Agent agent) {
    return loops.loop(this, agent);
  }

  /** Returns the log that the session is reduced from, for a loop. */
  public Log log() {
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
   * Returns the work in the session behind a place: tasks, notes, messages and questions. A claim
   * that all is done is no work. The cursor must be closed.
   */
  public FrameCursor workBehind(Position position) {
    return log.store().read(Query.of(topics.work()).after(position));
  }

  @Override
  public String toString() {
    return "session " + name;
  }
}
