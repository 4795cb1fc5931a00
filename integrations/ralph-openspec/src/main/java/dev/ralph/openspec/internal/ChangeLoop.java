package dev.ralph.openspec.internal;

import dev.ralph.Agent;
import dev.ralph.Gate;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.StopReason;
import dev.ralph.Verdict;
import dev.ralph.internal.BackgroundRun;
import dev.ralph.log.NotFoundException;
import dev.ralph.log.RalphException;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs an agent on a change, story by story. Each story is a separate loop on the same session. A
 * story is complete when its tasks are ticked and the project's checks and tests pass; the agent
 * need not report completion. After the last story the learnings are written to {@code design.md}.
 *
 * <pre>{@code
 * ChangeSession work = ChangeSession.open(ralph, project, "add-login", ProcessHandle.current());
 * LoopResult result = ChangeLoop.of(work, agent).tools(tools).maxCost(new BigDecimal("5")).run();
 * }</pre>
 *
 * <p>The whole state is in the log and in {@code tasks.md}. So the same two lines continue the work
 * after a kill. The limits apply to all stories together. Listeners receive the begin and the end
 * of each story's loop.
 *
 * <p>{@link #step} and {@link #run} are for one thread; all other methods are for any thread.
 */
public final class ChangeLoop implements Loop {

  private static final System.Logger LOG = System.getLogger(ChangeLoop.class.getName());

  /**
   * A completion marker that some agents write because of other instructions. The marker completes
   * nothing.
   */
  private static final String PROMISE = "<promise>COMPLETE</promise>";

  private final ChangeSession work;
  private final Agent agent;
  private final ChangeLoopBuilder settings;
  private final StoryWork way;
  private final ChangeUsage spent;

  /** The number of the first iteration that counts towards the budget. */
  private final int first;

  /** Held by the thread that steps this loop, or that ends this loop in {@link #close}. */
  private final ReentrantLock stepping = new ReentrantLock();

  /** The threads in {@link #close}, to detect calls by listeners of the end. */
  private final Set<Thread> closers = ConcurrentHashMap.newKeySet();

  /** Guards the running loop and the cancellation. */
  private final ReentrantLock changing = new ReentrantLock();

  private @Nullable Loop running;
  private @Nullable String cancelled;

  private volatile @Nullable String story;
  private volatile boolean entered;

  /** True once the running loop has ended and its usage is counted. */
  private volatile boolean counted;

  /** The reason why a completed task could not be ticked; null while each task has its line. */
  private volatile @Nullable String planChanged;

  private volatile boolean promised;
  private volatile String complaint = "";
  private volatile @Nullable LoopResult result;

  /** True from the first call of {@link #close}; a step then waits for the end. */
  private volatile boolean isClosing;

  /** True once the change is released; guarded by {@link #stepping}. */
  private boolean hasLeft;

  ChangeLoop(ChangeSession work, Agent agent, ChangeLoopBuilder settings) {
    this.work = work;
    this.agent = agent;
    this.settings = settings;
    this.way = settings.storyWork();
    this.spent = new ChangeUsage(settings.limits());
    this.first = work.firstIteration();
    String begun = work.storyToFinish().map(Story::id).orElse(null);
    if (begun != null) {
      running = build(begun);
    }
    story = begun;
  }

  /**
   * Returns a builder of a loop over a change.
   *
   * @param work the session that holds the change
   * @param agent the agent for all stories; the caller closes it
   */
  public static ChangeLoopBuilder of(ChangeSession work, Agent agent) {
    return new ChangeLoopBuilder(work, agent);
  }

  /** Returns the present story, or empty once all stories are complete. */
  public Optional<Story> story() {
    String id = story;
    return id == null ? Optional.empty() : work.change().story(id);
  }

  /** Returns all stories, as they are in tasks.md now. */
  public List<Story> stories() {
    return work.change().stories();
  }

  // ---- stories

  private Loop build(String id) {
    Loop.Builder loop = work.session().loop(agent);
    new StoryPrompt(work, id, () -> complaint).addTo(loop);
    way.addFirstGate(loop);
    settings.addTo(loop.budgetFrom(first).variable("RALPH_STORY", id));
    spent.addTo(loop);
    loop.doneWhen(session -> isDone(id) && settings.done().test(session))
        .gate(new Checks())
        .onEvent(this::listen);
    way.addTo(loop, id);
    return loop.build();
  }

  /** Synchronises both lists of tasks. Returns whether all tasks of the story are ticked. */
  private boolean isDone(String id) {
    List<String> open;
    try {
      open = way.open(id);
    } catch (NotFoundException e) {
      throw work.change().story(id).isPresent() ? e : takenOut(id);
    } catch (PlanChangedException e) {
      planChanged = e.getMessage();
      cancelStory(TaskFile.NAME + " was edited");
      return false;
    }
    complaint =
        promised && !open.isEmpty()
            ? "You wrote "
                + PROMISE
                + ", but these tasks are not complete: "
                + String.join(", ", open)
            : "";
    promised = false;
    return open.isEmpty();
  }

  private NotFoundException takenOut(String id) {
    return RalphException.notFound(
        "story "
            + id
            + " of "
            + work.changeName()
            + " was removed from tasks.md during the work on it; restore the story, or start"
            + " again to continue with the remaining stories");
  }

  /**
   * The checks of the project when a story is to be complete. The agent may add checks meanwhile.
   */
  private static final class Checks implements Gate {

    private volatile boolean none;

    @Override
    public String name() {
      return none ? "the project's checks and tests: none found" : "the project's checks and tests";
    }

    @Override
    public Verdict check(Context context) throws InterruptedException {
      Verification checks = Verification.of(context.directory());
      none = checks.all().isEmpty();
      return checks.check(context);
    }
  }

  private void listen(LoopEvent event) {
    if (event.type() == LoopEvent.Type.OUTPUT && event.message().contains(PROMISE)) {
      promised = true;
    }
  }

  /** Returns the loop to step, or null after ending this loop. */
  private @Nullable Loop begin() {
    if (result != null) {
      return null;
    }
    spent.begin();
    String id = story;
    if (id == null) {
      way.begin();
      work.change().requireTasks();
      int learnings = work.flush();
      way.commit("Record the learnings of " + work.changeName());
      end(
          StopReason.COMPLETED,
          "all stories of "
              + work.change().name()
              + " are complete"
              + (learnings == 0
                  ? ""
                  : learnings == 1
                      ? "; 1 learning was added to design.md"
                      : "; " + learnings + " learnings were added to design.md")
              + way.place());
      return null;
    }
    changing.lock();
    try {
      if (cancelled != null && running == null) {
        end(StopReason.INTERRUPTED, cancelled);
        return null;
      }
      if (running == null) {
        StopReason limit = spent.reached();
        if (limit != null) {
          end(limit, left());
          return null;
        }
        running = build(id);
      }
      if (!entered) {
        way.begin();
        work.begin(id); // the loop adds its tasks after cleaning up after a killed loop
        entered = true;
      }
      return running;
    } finally {
      changing.unlock();
    }
  }

  /** Continues with the next story, or ends, after the loop of a story has ended. */
  private void ended(Loop loop, LoopResult ended) {
    loop.close();
    if (!counted) {
      spent.add(ended);
      counted = true;
    }
    String id = Objects.requireNonNull(story);
    tickWhatIsDone(id);
    String edited = planChanged;
    if (edited != null) {
      end(StopReason.PLAN_CHANGED, left() + "; story " + id + ": " + edited);
      return;
    }
    if (ended.reason() == StopReason.COMPLETED) {
      story = work.storyAfter().map(Story::id).orElse(null);
      changing.lock();
      try {
        running = null;
        entered = false;
        counted = false;
      } finally {
        changing.unlock();
      }
      return;
    }
    boolean failed =
        ended.reason() == StopReason.FAILURES || ended.reason() == StopReason.NO_PROGRESS;
    String aside = failed ? way.setAside(id) : "";
    String detail = ended.detail();
    end(ended.reason(), left() + aside + (detail == null ? "" : "; story " + id + ": " + detail));
  }

  /**
   * Synchronises both lists of tasks once more, because a stopped loop has not done so since its
   * last iteration. After a failure, the next loop synchronises them.
   */
  private void tickWhatIsDone(String id) {
    try {
      way.end(id);
    } catch (PlanChangedException e) {
      planChanged = e.getMessage();
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "boxes will be ticked when the change continues: " + e.getMessage());
    }
  }

  private String left() {
    Set<String> left = new HashSet<>();
    work.unfinished().forEach(each -> left.add(each.id()));
    story().ifPresent(each -> left.add(each.id()));
    int all = work.change().stories().size();
    int done = all - left.size();
    return done
        + " of "
        + all
        + (all == 1 ? " story" : " stories")
        + (done == 1 || all == 1 ? " is" : " are")
        + " complete";
  }

  private void end(StopReason reason, @Nullable String detail) {
    result = new LoopResult(reason, spent.iterations(), spent.usage(), detail);
  }

  // ---- as a loop

  @Override
  public boolean step() {
    lockStep();
    try {
      Loop loop = begin();
      if (loop != null && !loop.step()) {
        ended(loop, loop.result().orElseThrow());
      }
      return result == null;
    } finally {
      unlockStep();
    }
  }

  @Override
  public LoopResult run() {
    lockStep();
    try {
      while (true) {
        Loop loop = begin();
        if (loop == null) {
          return result().orElseThrow();
        }
        ended(loop, loop.run());
      }
    } finally {
      unlockStep();
    }
  }

  private void lockStep() {
    if (!stepping.isHeldByCurrentThread()) {
      if (stepping.tryLock()) {
        return;
      }
      if (isClosing) {
        stepping.lock();
        return;
      }
    }
    throw RalphException.invalid("another thread runs a step of this loop; use a single thread");
  }

  private void unlockStep() {
    try {
      if (isClosing && result != null) {
        leave(); // a call of close within the step did not wait
      }
    } finally {
      stepping.unlock();
    }
  }

  @Override
  public CompletionStage<LoopResult> start() {
    return BackgroundRun.start(this::run, settings.executor());
  }

  @Override
  public String preview() {
    changing.lock();
    try {
      String id = story;
      Loop loop = running != null || id == null ? running : build(id);
      return loop == null ? "" : loop.preview();
    } finally {
      changing.unlock();
    }
  }

  @Override
  public Optional<LoopResult> result() {
    return Optional.ofNullable(result);
  }

  @Override
  public void cancel(String reason) {
    Objects.requireNonNull(reason, "reason");
    changing.lock();
    try {
      cancelled = cancelled == null ? reason : cancelled;
    } finally {
      changing.unlock();
    }
    cancelStory(reason);
  }

  private void cancelStory(String reason) {
    changing.lock();
    try {
      if (running != null) {
        running.cancel(reason);
      }
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void close() {
    cancel("the loop was closed");
    isClosing = true;
    if (stepping.isHeldByCurrentThread() || !closers.add(Thread.currentThread())) {
      return; // the step or the outer call ends this loop
    }
    try {
      Loop loop = running();
      if (loop != null) {
        loop.close();
        if (loop.result().isEmpty()) {
          return; // called by an agent or a gate, whose step ends this loop
        }
      }
      stepping.lock();
      try {
        endAtClose();
        leave();
      } finally {
        stepping.unlock();
      }
    } finally {
      closers.remove(Thread.currentThread());
    }
  }

  private @Nullable Loop running() {
    changing.lock();
    try {
      return running;
    } finally {
      changing.unlock();
    }
  }

  /** Ends this loop unless its last step has done so. Ticks the tasks of a story in progress. */
  private void endAtClose() {
    if (result != null) {
      return;
    }
    try {
      Loop loop = running();
      if (loop != null && entered) {
        ended(loop, loop.result().orElseThrow());
      }
      if (result == null) {
        end(StopReason.INTERRUPTED, cancelled);
      }
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "the end of a story could not be recorded", e);
    } finally {
      if (result == null) {
        end(StopReason.STORE_FAILED, "the end of a story could not be recorded");
      }
    }
  }

  /** Releases the change once, because another process may then continue the same session. */
  private void leave() {
    if (hasLeft) {
      return;
    }
    try {
      work.leave();
      hasLeft = true;
    } catch (RalphException e) {
      LOG.log(Level.DEBUG, "the change stays claimed until this process ends: " + e.getMessage());
    }
  }
}
