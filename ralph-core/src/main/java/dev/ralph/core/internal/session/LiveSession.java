package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Step;
import dev.ralph.Task;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.inbox.LedgerInbox;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.note.LedgerNoteLog;
import dev.ralph.core.internal.question.LedgerQuestions;
import dev.ralph.core.internal.step.LedgerSteps;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.core.internal.tool.OpenTools;
import dev.ralph.core.internal.view.SharedReading;
import dev.ralph.core.internal.view.SignedLedger;
import dev.ralph.core.internal.view.StoreHandle;
import dev.ralph.core.internal.workspace.MergeTrial;
import dev.ralph.internal.StoreLocation;
import dev.ralph.log.Decision;
import dev.ralph.log.Follower;
import dev.ralph.log.Frame;
import dev.ralph.log.FrameCursor;
import dev.ralph.log.FrameLog;
import dev.ralph.log.Meta;
import dev.ralph.log.Position;
import dev.ralph.log.Query;
import dev.ralph.log.RalphException;
import dev.ralph.log.StoreInfo;
import dev.ralph.log.TopicFilter;
import dev.ralph.tool.AgentTools;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A session in its present state. Reads from the log only on demand. Safe for use by many threads.
 */
public final class LiveSession implements Session {

  private static final Set<String> HANDING =
      Set.of("deliver", "renew", "release", "iteration_end", "expire");

  private static final Set<String> CLAIMING = Set.of("claim", "renew", "release", "refused");

  private final StoreRalph ralph;
  private final StoreHandle log;
  private final SessionTopics topics;
  private final SessionLedgers ledgers;
  private final PresentMoment present;
  private final SessionLogs logs;

  /**
   * Creates a session.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @throws dev.ralph.log.RalphException INVALID for an invalid name
   */
  LiveSession(StoreRalph ralph, String name) {
    this(ralph, new SessionTopics(name));
  }

  private LiveSession(StoreRalph ralph, SessionTopics topics) {
    this(
        ralph,
        topics,
        SessionLedgers.of(ralph.handle(), topics),
        new PresentMoment(ralph.handle()),
        SessionCaller.HOST);
  }

  /** Creates a session on a possibly shared state. */
  private LiveSession(
      StoreRalph ralph,
      SessionTopics topics,
      SessionLedgers ledgers,
      PresentMoment present,
      SessionCaller caller) {
    this.ralph = ralph;
    this.log = ralph.handle();
    this.topics = topics;
    this.ledgers = ledgers;
    this.present = present;
    this.logs = new SessionLogs(ledgers, topics, present, ralph.redactor(), caller);
  }

  @Override
  public LiveSession asAgent() {
    return asAgent(0);
  }

  @Override
  public LiveSession asAgent(int agent) {
    return asAgent(agent, Path.of(""));
  }

  @Override
  public LiveSession asAgent(int agent, Path directory) {
    Objects.requireNonNull(directory, "directory");
    MergeTrial trial = agent == 0 ? null : new MergeTrial(name(), agent, () -> places(directory));
    return new LiveSession(
        ralph, topics, ledgers, present, new SessionCaller(ralph.redactor(), agent, trial));
  }

  /**
   * Returns the folders in which to search for an agent's repository: the agent's folder, and the
   * store's.
   */
  private List<Path> places(Path directory) {
    String location = log.store().info().location();
    Path store = StoreLocation.of(location).folder();
    return store == null ? List.of(directory) : List.of(directory, store);
  }

  @Override
  public LiveSession asPerson(String name) {
    if (Objects.requireNonNull(name, "name").isBlank()) {
      throw RalphException.invalid("a person's name must not be blank");
    }
    return with(ledgers.signed(name), present);
  }

  /**
   * Returns the ids of the tasks that agents have completed since the newest iteration started, and
   * that are still completed.
   */
  public Set<String> completedSinceBegun() {
    Set<String> completed = new LinkedHashSet<>();
    Set<String> seen = new HashSet<>();
    Query newestFirst = Query.of(TopicFilter.of(topics.task(), topics.iteration())).backward();
    try (FrameCursor frames = log.store().read(newestFirst)) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        Meta meta = frame.meta();
        if (frame.topic().equals(topics.iteration())) {
          if ("start".equals(meta.string("action"))) {
            break;
          }
        } else if ("status".equals(meta.string("action"))) {
          String task = String.valueOf(meta.string("id"));
          if (seen.add(task)
              && Task.Status.COMPLETED.word().equals(meta.string("status"))
              && !meta.has(SignedLedger.BY)) {
            completed.add(task);
          }
        }
      }
    }
    return completed;
  }

  /**
   * Returns this session for a run of a loop, on the same state. All writes through the returned
   * session require that the session still belongs to the run.
   *
   * @param check throws if the session belongs to another owner according to {@link #control}
   */
  public LiveSession fenced(Runnable check) {
    SessionLedgers fenced = ledgers.fenced(TopicFilter.of(topics.control()), check);
    return with(
        fenced,
        new PresentMoment(
            log,
            drafts ->
                fenced
                    .control()
                    .decide(
                        "keeping the activity of an agent in " + this,
                        null,
                        false,
                        (steering, now) -> Decision.append(drafts, (after, frames) -> true))));
  }

  /** Returns a shared reading of the session's frames, for {@link #seen}. */
  public SharedReading reading() {
    return new SharedReading(
        log, topics.work().or(TopicFilter.of(topics.iteration(), topics.control())));
  }

  /**
   * Returns this session as of a reading's last update, or later, on the same state. Decisions use
   * the present state.
   */
  public LiveSession seen(SharedReading reading) {
    return with(ledgers.seen(reading), present);
  }

  private LiveSession with(SessionLedgers others, PresentMoment another) {
    return new LiveSession(ralph, topics, others, another, SessionCaller.HOST);
  }

  @Override
  public AgentTools openTools(ToolSettings settings) {
    return new OpenTools(() -> this, Objects.requireNonNull(settings, "settings"));
  }

  @Override
  public String name() {
    return topics.session();
  }

  @Override
  public LedgerTaskLog tasks() {
    return logs.tasks;
  }

  @Override
  public LedgerNoteLog notes() {
    return logs.notes;
  }

  @Override
  public LedgerInbox inbox() {
    return logs.inbox;
  }

  @Override
  public Clock clock() {
    return log.clock();
  }

  @Override
  public LedgerQuestions questions() {
    return logs.questions;
  }

  @Override
  public LedgerIterationLog iterations() {
    return logs.iterations;
  }

  @Override
  public LedgerControl control() {
    return logs.control;
  }

  @Override
  public Session at(Frame frame) {
    Objects.requireNonNull(frame, "frame");
    return at(PastMoment.after(log, frame));
  }

  @Override
  public Session at(Instant time) {
    Objects.requireNonNull(time, "time");
    return at(PastMoment.at(log, topics.all(), time));
  }

  private Session at(PastMoment moment) {
    SessionCaller reader = new SessionCaller(ralph.redactor(), 0, null);
    return new PastSession(
        this, moment.clock(), new SessionLogs(ledgers, topics, moment, ralph.redactor(), reader));
  }

  @Override
  public Session fork(String name) {
    return fork(this, name);
  }

  @Override
  public Session fork(Ralph other, String name) {
    return fork(this, other, name);
  }

  /** Creates a session in this store from a moment of this session. */
  Session fork(Session moment, String name) {
    Objects.requireNonNull(name, "name");
    begin(moment, log.store(), name);
    return new LiveSession(ralph, name);
  }

  /** Creates a session in another store from a moment of this session. */
  Session fork(Session moment, Ralph other, String name) {
    Objects.requireNonNull(other, "other");
    Objects.requireNonNull(name, "name");
    begin(moment, other.log(), name);
    return other.session(name);
  }

  private void begin(Session moment, FrameLog target, String name) {
    SessionFork.begin(moment, log.store().info().storeId(), target, name, log.clock());
  }

  @Override
  public void delete() {
    SessionDeletion.delete(log, topics, name(), logs.control);
  }

  @Override
  public Step step(String name) {
    return new LedgerSteps(ledgers.steps(), topics.step(), log.store()).step(name);
  }

  @Override
  public Loop.Builder loop(Agent agent) {
    return ralph.loops().loop(this, agent);
  }

  /**
   * Returns the redacted form of a text whose loss is acceptable: if the redactor fails, a
   * placeholder.
   */
  public String redacted(String text) {
    try {
      return Objects.requireNonNull(ralph.redactor().redact(text), "the redactor returned null");
    } catch (RuntimeException e) {
      System.getLogger(LiveSession.class.getName())
          .log(System.Logger.Level.WARNING, "the redactor failed, so a text was omitted", e);
      return "[omitted, because the redactor failed: " + e.getClass().getName() + "]\n";
    }
  }

  /** Returns the log of the session's frames, for a loop. */
  public StoreHandle log() {
    return log;
  }

  /** Returns the connection data of the store for the commands of agents. */
  public StoreInfo agentStore() {
    return ralph.agentStore();
  }

  /**
   * Follows the inputs of the session's loop from now on: orders, answers, messages and tasks. The
   * caller must close the follower.
   */
  public Follower followControl() {
    TopicFilter orders =
        TopicFilter.of(topics.control(), topics.question(), topics.inbox(), topics.task());
    return log.store().follow(Query.of(orders).after(endOf(orders)));
  }

  private Position endOf(TopicFilter filter) {
    return log.store().last(filter).map(Frame::position).orElse(Position.START);
  }

  /**
   * Selects the frames of tasks, notes, messages and questions. Not all of them are work, see
   * {@link #isWork}. A completion claim is no work.
   */
  public TopicFilter workFrames() {
    return topics.work();
  }

  /**
   * Returns whether a frame is work, rather than a change of a message's lease. Such changes are no
   * progress, because each refused completion may cause some.
   */
  public boolean isWork(Frame frame) {
    String action = frame.topic().equals(topics.inbox()) ? frame.meta().string("action") : null;
    return action == null || !HANDING.contains(action);
  }

  /**
   * Returns whether a frame is work, as {@link #isWork}, other than a loop's claim of a task for an
   * agent.
   */
  public boolean isWorkBesideClaims(Frame frame) {
    String action = frame.topic().equals(topics.task()) ? frame.meta().string("action") : null;
    return isWork(frame) && (action == null || !CLAIMING.contains(action));
  }

  @Override
  public String toString() {
    return "session " + name();
  }
}
