package dev.ralph.core.internal.session;

import dev.ralph.Agent;
import dev.ralph.AgentInbox;
import dev.ralph.Control;
import dev.ralph.InterruptedStepException;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.Ralph;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.StepCodec;
import dev.ralph.Task;
import dev.ralph.ToolSettings;
import dev.ralph.core.internal.control.ActivityLog;
import dev.ralph.core.internal.control.LedgerControl;
import dev.ralph.core.internal.control.OutstandingWork;
import dev.ralph.core.internal.inbox.LedgerInbox;
import dev.ralph.core.internal.inbox.MessageRecipient;
import dev.ralph.core.internal.iteration.LedgerIterationLog;
import dev.ralph.core.internal.note.LedgerNoteLog;
import dev.ralph.core.internal.question.LedgerQuestions;
import dev.ralph.core.internal.step.LedgerSteps;
import dev.ralph.core.internal.task.CompletionTrial;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A session in its present state. Reads from the log only on demand. Safe for use by many threads.
 */
public final class LiveSession implements Session {

  private static final Set<String> HANDING =
      Set.of("deliver", "renew", "release", "iteration_end", "expire");

  private static final Set<String> CLAIMING = Set.of("claim", "renew", "release", "refused");

  private final String name;
  private final StoreHandle log;
  private final AgentStore agentStore;
  private final Redactor redactor;
  private final LoopFactory loops;
  private final SessionTopics topics;

  private final SessionLedgers ledgers;
  private final PresentMoment present;

  private final LedgerTaskLog tasks;
  private final LedgerNoteLog notes;
  private final LedgerInbox inbox;
  private final LedgerQuestions questions;
  private final LedgerIterationLog iterations;
  private final LedgerControl control;

  /**
   * Creates a session.
   *
   * @param name 1 to 127 letters, digits, {@code _} and {@code -}
   * @param redactor redacts the output of agents
   * @throws dev.ralph.log.RalphException INVALID for an invalid name
   */
  LiveSession(
      String name, StoreHandle log, AgentStore agentStore, Redactor redactor, LoopFactory loops) {
    this(name, log, agentStore, redactor, loops, new SessionTopics(name));
  }

  private LiveSession(
      String name,
      StoreHandle log,
      AgentStore agentStore,
      Redactor redactor,
      LoopFactory loops,
      SessionTopics topics) {
    this(
        name,
        log,
        agentStore,
        redactor,
        loops,
        topics,
        SessionLedgers.of(log, topics),
        new PresentMoment(log),
        Redactor.none(),
        0,
        null);
  }

  /**
   * Creates a session on a possibly shared state.
   *
   * @param taskRedactor redacts the texts of tasks
   * @param agent the number of the calling agent among several; 0 for other callers
   * @param trial tests the agent's work before its task is completed; null for no test
   */
  private LiveSession(
      String name,
      StoreHandle log,
      AgentStore agentStore,
      Redactor redactor,
      LoopFactory loops,
      SessionTopics topics,
      SessionLedgers ledgers,
      PresentMoment present,
      Redactor taskRedactor,
      int agent,
      @Nullable CompletionTrial trial) {
    this.name = name;
    this.log = log;
    this.agentStore = agentStore;
    this.redactor = redactor;
    this.loops = loops;
    this.topics = topics;
    this.ledgers = ledgers;
    this.present = present;
    this.tasks =
        new LedgerTaskLog(
            ledgers.tasks(),
            topics.task(),
            log.clock(),
            taskRedactor,
            agent == 0 ? null : () -> iterationOf(agent),
            trial);
    this.notes = new LedgerNoteLog(ledgers.notes(), topics.note(), redactor);
    this.iterations =
        new LedgerIterationLog(
            ledgers.iterations(), topics.iteration(), topics.output(), topics.record(), present);
    this.control =
        new LedgerControl(
            ledgers.control(),
            topics.control(),
            new OutstandingWork(
                ledgers.tasks(), ledgers.messages(), topics.completion(), log.clock()),
            new ActivityLog(ledgers.activities(), topics.activity(), log.clock()),
            run -> run.isLive(log.clock().instant()));
    this.inbox =
        new LedgerInbox(
            ledgers.messages(),
            topics.inbox(),
            log.clock(),
            iteration -> prompted(iterations, control, iteration),
            agent == 0 ? tasks::resetNamed : text -> {},
            () -> recipient(agent));
    this.questions =
        new LedgerQuestions(
            ledgers.questions(),
            topics.question(),
            ledgers.messages(),
            topics.inbox(),
            redactor,
            iteration -> running(iterations, control, iteration));
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
    return new LiveSession(
        name,
        log,
        agentStore,
        redactor,
        loops,
        topics,
        ledgers,
        present,
        redactor,
        agent,
        agent == 0 ? null : new MergeTrial(name, agent, () -> places(directory)));
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

  private MessageRecipient recipient(int agent) {
    if (agent == 0) {
      return MessageRecipient.ANY;
    }
    int agents =
        control
            .running()
            .filter(Control.RunningLoop::live)
            .map(Control.RunningLoop::agents)
            .orElse(0);
    Iteration own = iterations.running(agent).orElse(null);
    return new MessageRecipient(
        agent, agents, own != null && own.task() == null, own == null ? 0 : own.number());
  }

  private Iteration iterationOf(int agent) {
    return iterations
        .running(agent)
        .orElseThrow(
            () ->
                RalphException.invalid(
                    "no iteration of agent "
                        + agent
                        + " of "
                        + this
                        + " runs, so the agent can't work on tasks"));
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
    return new LiveSession(
        name, log, agentStore, redactor, loops, topics, others, another, Redactor.none(), 0, null);
  }

  @Override
  public AgentTools openTools(ToolSettings settings) {
    return new OpenTools(() -> this, Objects.requireNonNull(settings, "settings"));
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
    return at(PastMoment.after(log, frame));
  }

  @Override
  public Session at(Instant time) {
    Objects.requireNonNull(time, "time");
    return at(PastMoment.at(log, topics.all(), time));
  }

  private Session at(PastMoment moment) {
    Clock then = Clock.fixed(moment.time(), log.clock().getZone());
    var pastTasks = moment.of(ledgers.tasks());
    var pastMessages = moment.of(ledgers.messages());
    var pastIterations =
        new LedgerIterationLog(
            moment.of(ledgers.iterations()),
            topics.iteration(),
            topics.output(),
            topics.record(),
            moment);
    var pastControl =
        new LedgerControl(
            moment.of(ledgers.control()),
            topics.control(),
            new OutstandingWork(pastTasks, pastMessages, topics.completion(), then),
            new ActivityLog(moment.of(ledgers.activities()), topics.activity(), then),
            run -> true);
    return new PastSession(
        this,
        then,
        new LedgerTaskLog(pastTasks, topics.task(), then, redactor),
        new LedgerNoteLog(moment.of(ledgers.notes()), topics.note(), redactor),
        new LedgerInbox(
            pastMessages,
            topics.inbox(),
            then,
            iteration -> prompted(pastIterations, pastControl, iteration),
            text -> {},
            () -> MessageRecipient.ANY),
        new LedgerQuestions(
            moment.of(ledgers.questions()),
            topics.question(),
            pastMessages,
            topics.inbox(),
            redactor,
            iteration -> running(pastIterations, pastControl, iteration)),
        pastIterations,
        pastControl);
  }

  /**
   * Returns the number of a running iteration: the preferred iteration if running, otherwise the
   * newest running iteration, or 0. Iterations left open by a killed loop do not count.
   */
  private static int running(LedgerIterationLog iterations, LedgerControl control, int preferred) {
    int running = iterations.ongoing(preferred);
    return running > 0 && control.running().filter(Control.RunningLoop::live).isPresent()
        ? running
        : 0;
  }

  private static Optional<String> prompted(
      LedgerIterationLog iterations, LedgerControl control, int preferred) {
    int running = running(iterations, control, preferred);
    return running == 0 ? Optional.empty() : Optional.of(iterations.begun(running));
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
    return new LiveSession(name, log, agentStore, redactor, loops);
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
    SessionDeletion.delete(log, topics, name, control);
  }

  @Override
  public <T> T step(
      String name,
      StepCodec<T> codec,
      Supplier<T> work,
      Function<InterruptedStepException, T> halfDone) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(codec, "codec");
    Objects.requireNonNull(work, "work");
    Objects.requireNonNull(halfDone, "halfDone");
    LedgerSteps steps = new LedgerSteps(ledgers.steps(), topics.step(), log.store());
    return steps.step(name, codec, work, halfDone);
  }

  @Override
  public Loop.Builder loop(Agent agent) {
    return loops.loop(this, agent);
  }

  /**
   * Returns the redacted form of a text whose loss is acceptable: if the redactor fails, a
   * placeholder.
   */
  public String redacted(String text) {
    try {
      return Objects.requireNonNull(redactor.redact(text), "the redactor returned null");
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
    return agentStore.info();
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
    return "session " + name;
  }
}
