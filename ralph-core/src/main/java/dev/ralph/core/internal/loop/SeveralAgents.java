package dev.ralph.core.internal.loop;

import static dev.ralph.Iteration.Role.BUILD;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.loop.agent.AgentTurns;
import dev.ralph.core.internal.loop.agent.PolicyInterpreter;
import dev.ralph.core.internal.loop.policy.LoopEnding;
import dev.ralph.core.internal.loop.policy.NextAction;
import dev.ralph.core.internal.loop.policy.TeamFacts;
import dev.ralph.core.internal.loop.run.LoopReporter;
import dev.ralph.core.internal.loop.run.LoopRole;
import dev.ralph.core.internal.loop.run.LoopSession;
import dev.ralph.core.internal.loop.run.LoopSettings;
import dev.ralph.core.internal.loop.run.RunLimits;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.task.LedgerTaskLog;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs several agents concurrently: assigns tasks, starts merges, and decides completion when no
 * agent works and nothing waits for a merge. These decisions are made by the thread that steps;
 * agents and merges have their own threads.
 */
final class SeveralAgents implements RunStrategy {

  private final LoopSession session;
  private final LoopSettings settings;
  private final AgentTurns turns;
  private final LoopReporter reporter;
  private final PolicyInterpreter interpreter;
  private final LoopWaits waits;
  private final Workspaces workspaces;
  private final MergeQueue queue;
  private final List<LoopWorker> workers = new ArrayList<>();
  private boolean isOpen;

  SeveralAgents(
      LoopSession session,
      LoopSettings settings,
      AgentTurns turns,
      LoopWaits waits,
      MergeQueue queue) {
    this.session = session;
    this.settings = settings;
    this.turns = turns;
    this.reporter = turns.reporter();
    this.interpreter = turns.interpreter();
    this.waits = waits;
    this.workspaces = queue.workspaces();
    this.queue = queue;
    for (LoopRole role : agents()) {
      int number = workers.size() + 1;
      workers.add(
          new LoopWorker(
              session,
              turns.ofAgent(number),
              workspaces,
              role,
              place -> teamContext(number, place),
              waits::wake));
    }
  }

  @Override
  public void open() {
    if (isOpen) {
      return;
    }
    try {
      workspaces.open();
    } catch (InterruptedException e) {
      session.cancellation().interrupted();
      return;
    } catch (RalphException e) {
      if (!(e instanceof RepositoryLockedException)) { // the repository fails, not the store
        interpreter.facts().decide(new LoopEnding(StopReason.FAILURES, e.getMessage()));
      }
      throw e;
    }
    // A killed loop may have claimed a task for an iteration that never began.
    session.present().tasks().endIterations();
    queue.forgetMerged();
    String problem = queue.cannotStart(startCheck(), session.limits().timeLimit());
    if (problem != null) {
      interpreter.facts().decide(new LoopEnding(StopReason.CANNOT_START, problem));
    }
    isOpen = true;
  }

  private List<LoopRole> agents() {
    return Objects.requireNonNull(settings.several(), "several agents").agents();
  }

  private StartCheck startCheck() {
    List<LoopRole> roles = new ArrayList<>(agents());
    turns.roles().all().stream().filter(role -> role.role() != BUILD).forEach(roles::add);
    return new StartCheck(roles, settings.gates());
  }

  @Override
  public void advance() {
    try {
      boolean hasMoved = false;
      boolean isOver = false;
      while (!isOver && interpreter.facts().ending() == null) {
        session.readNewFrames();
        session.checkClaim();
        reporter.conversation().report();
        hasMoved |= takeUp();
        reporter.listeners().throwError();
        String spent = session.limits().budget().reached();
        if (spent != null) {
          workers.forEach(worker -> worker.endEarly(spent));
        }
        isOver = perform(hasMoved);
      }
    } finally {
      waits.end();
    }
  }

  /**
   * Advances the workers and the merge queue; returns whether an iteration or a merge has ended.
   */
  private boolean takeUp() {
    boolean any = false;
    for (LoopWorker worker : workers) {
      if (worker.advance()) {
        any = true;
        reportEnd(worker);
      }
    }
    any |= queue.advance(interpreter.facts());
    if (any) {
      queue.reportNotices();
      session.readNewFrames();
    }
    return any;
  }

  private void reportEnd(LoopWorker ended) {
    LoopEnding over = ended.facts().over();
    if (over != null && workers.stream().anyMatch(other -> other.facts().over() == null)) {
      ended.turns().reporter().notice(session.limits().last(), "no further task: " + over.detail());
    }
  }

  /** Performs actions until the step waits or ends; returns whether the step ends. */
  private boolean perform(boolean hasMoved) {
    if (!hasMoved && !isAnyBusy() && !queue.isBusy()) {
      soonest().cutShortIfStirred();
    }
    boolean hasAssigned = false;
    while (true) {
      boolean wereOffered = hasAssigned;
      NextAction action = interpreter.next(() -> facts(hasMoved, wereOffered));
      if (action instanceof NextAction.Wait wait) {
        waits.await(wait, soonest());
        return false;
      }
      if (action instanceof NextAction.WaitForWork) {
        waits.awaitWork();
        return false;
      }
      waits.end();
      if (action instanceof NextAction.Merge merge) {
        RunLimits limits = session.limits();
        queue.start(merge.tasks(), limits.last(), limits.timeLimit(), waits::wake);
      } else if (action instanceof NextAction.Assign assign) {
        hasAssigned = true;
        assign(assign.workers());
      } else if (action instanceof NextAction.Run run) {
        workAlone(run.role());
        return false;
      } else {
        return true; // End, EndStep
      }
    }
  }

  private TeamFacts facts(boolean hasMoved, boolean hasAssigned) {
    boolean isAnyFree = workers.stream().anyMatch(LoopWorker::isFree);
    int ready = isAnyFree ? session.seen().tasks().ready().size() : 0;
    return new TeamFacts(workers(), queue.facts(), ready, hasMoved, hasAssigned);
  }

  private List<TeamFacts.Worker> workers() {
    return workers.stream().map(LoopWorker::facts).toList();
  }

  /** Returns the turns of the continuing worker that may work next. */
  private AgentTurns soonest() {
    TeamFacts.Worker soonest = TeamFacts.soonest(workers(), session.time().nanos());
    return workers.get(soonest == null ? 0 : soonest.number() - 1).turns();
  }

  /** Claims ready tasks for workers, until none is left or the run nears its end. */
  private void assign(List<Integer> numbers) {
    for (int number : numbers) {
      TeamFacts team = facts(false, true);
      if (team.ready() == 0 || interpreter.isNearEnd(team)) {
        return;
      }
      LoopWorker worker = workers.get(number - 1);
      LedgerTaskLog tasks = session.present().tasks();
      Optional<Claim> claim =
          tasks.claimNextFor(
              "agent-" + number,
              TaskLease.LENGTH,
              session.nextIteration(),
              task -> workspaces.branch(task.number()));
      if (claim.isEmpty()) {
        return;
      }
      worker.assign(tasks.get(claim.get().taskId()), claim.get());
      session.readNewFrames();
    }
  }

  /** Lets the first free worker work without a task. */
  private void workAlone(Iteration.Role role) {
    for (LoopWorker worker : workers) {
      if (worker.isFree()) {
        queue.addLoose();
        worker.workAlone(role == BUILD ? null : turns.roles().of(role));
        return;
      }
    }
  }

  private boolean isAnyBusy() {
    return workers.stream().anyMatch(worker -> worker.facts().isBusy());
  }

  private TeamContext teamContext(int number, Workspace place) {
    Task given = workers.get(number - 1).task();
    Task task = given == null ? null : session.present().tasks().get(given.id());
    return teamContext(number, task, place.branch(), place.isTakenUp());
  }

  private TeamContext teamContext(
      int number, @Nullable Task task, @Nullable String branch, boolean isTakenUp) {
    List<TeamContext.Other> others = new ArrayList<>();
    for (LoopWorker worker : workers) {
      Task other = worker.task();
      if (other != null && worker.number() != number) {
        others.add(new TeamContext.Other(worker.number(), other));
      }
    }
    return new TeamContext(
        number,
        workers.size(),
        task,
        task == null ? 0 : task.attempts() + 1,
        new TeamContext.Place(
            workspaces.directory(number),
            branch,
            branch == null ? null : branch.substring(0, branch.lastIndexOf('.')),
            isTakenUp,
            file -> workspaces.own(number, file)),
        task == null ? queue.looseRefused() : task.reason(),
        others);
  }

  @Override
  public TeamContext next() {
    Task task = session.seen().tasks().ready().stream().findFirst().orElse(null);
    int number = task == null ? Workspaces.NO_TASK : task.number();
    boolean isTakenUp = workspaces.hasCommits(number, task == null ? "" : task.id());
    return teamContext(1, task, workspaces.branch(number), isTakenUp);
  }

  @Override
  public void cutOff() {
    if (isAnyBusy() || queue.isBusy()) {
      session.cancellation().request("the loop ends");
    }
    workers.forEach(LoopWorker::cutOff);
    queue.cutOff();
    Throwable first = null;
    for (LoopWorker worker : workers) {
      try {
        worker.settle();
      } catch (RuntimeException | Error e) {
        first = first == null ? e : first;
      }
    }
    queue.settle(session.work());
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException fault) {
      throw fault;
    }
  }

  @Override
  public void write() {
    workers.forEach(LoopWorker::writeEnd);
    queue.advance(interpreter.facts());
  }

  @Override
  public void close() {
    workspaces.close();
  }
}
