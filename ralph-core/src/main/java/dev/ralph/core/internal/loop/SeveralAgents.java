package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Iteration;
import dev.ralph.StopReason;
import dev.ralph.Task;
import dev.ralph.core.internal.control.ControlState;
import dev.ralph.core.internal.git.RepositoryLockedException;
import dev.ralph.core.internal.prompt.TeamContext;
import dev.ralph.core.internal.workspace.Workspaces;
import dev.ralph.core.internal.workspace.Workspaces.Piece;
import dev.ralph.core.internal.workspace.Workspaces.Workspace;
import dev.ralph.log.RalphException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
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
  private final Endings endings;
  private final NextTurn nextTurn;
  private final Workspaces workspaces;
  private final MergeQueue seat;
  private final List<LoopRole> agents;
  private final List<LoopWorker> lanes = new ArrayList<>();
  private boolean isOpen;

  SeveralAgents(
      LoopSession session,
      LoopSettings settings,
      AgentTurns turns,
      NextTurn nextTurn,
      MergeQueue seat) {
    this.session = session;
    this.settings = settings;
    this.turns = turns;
    this.reporter = turns.reporter();
    this.endings = turns.endings();
    this.nextTurn = nextTurn;
    this.workspaces = seat.workspaces();
    this.seat = seat;
    this.agents = Objects.requireNonNull(settings.several(), "several agents").agents();
    for (LoopRole role : agents) {
      int number = lanes.size() + 1;
      lanes.add(
          new LoopWorker(
              session,
              turns.ofAgent(number),
              workspaces,
              role,
              place -> company(number, place),
              nextTurn::wake));
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
    } catch (RepositoryLockedException e) {
      throw e;
    } catch (RalphException e) {
      // The repository fails, not the store.
      endings.decide(new LoopEnding(StopReason.FAILURES, e.getMessage()));
      throw e;
    }
    // A killed loop may have claimed a task for an iteration that never began.
    session.present().tasks().endIterations();
    seat.forgetLanded();
    String problem = seat.cannotStart(startCheck(), session.limits().timeLimit());
    if (problem != null) {
      endings.decide(new LoopEnding(StopReason.CANNOT_START, problem));
    }
    isOpen = true;
  }

  private StartCheck startCheck() {
    List<LoopRole> roles = new ArrayList<>(agents);
    Stream.of(turns.roles().plan(), turns.roles().review())
        .filter(Objects::nonNull)
        .forEach(roles::add);
    return new StartCheck(roles, settings.gates());
  }

  @Override
  public void advance() {
    boolean hasMoved = false;
    while (!endings.isDecided()) {
      session.look();
      session.checkClaim();
      reporter.conversation().tell();
      hasMoved |= takeUp();
      reporter.events().throwError();
      String spent = session.limits().budget().reached();
      if (spent != null) {
        lanes.forEach(lane -> lane.endEarly(spent));
      }
      letLand();
      if (isQuiet()) {
        if (goOnFromRest(hasMoved)) {
          return;
        }
        continue;
      }
      if (mayGiveOut()) {
        giveOut();
      }
      if (hasMoved) {
        return;
      }
      nextTurn.awaitNews();
    }
  }

  /**
   * Advances the workers and the merge queue; returns whether an iteration or a merge has ended.
   */
  private boolean takeUp() {
    boolean any = false;
    for (LoopWorker lane : lanes) {
      if (lane.advance()) {
        any = true;
        tellIfOver(lane);
      }
    }
    any |= seat.advance(endings);
    if (any) {
      seat.tellNotices();
      session.look();
    }
    return any;
  }

  private void tellIfOver(LoopWorker lane) {
    LoopEnding over = lane.over();
    if (over != null && lanes.stream().anyMatch(other -> other.over() == null)) {
      lane.reporter().notice(session.limits().last(), "no further task: " + over.detail());
    }
  }

  private void letLand() {
    if (!seat.isBusy() && !seat.isWaiting() && canLand()) {
      List<Piece> pieces = seat.waiting(inHand());
      if (!pieces.isEmpty()) {
        seat.start(pieces, session.limits().last(), session.limits().timeLimit(), nextTurn::wake);
      }
    }
  }

  /** After the time limit no gate can run. */
  private boolean canLand() {
    return !session.limits().timeLimit().isUp() && !session.cancellation().isRequested();
  }

  private Set<String> inHand() {
    Set<String> ids = new HashSet<>();
    for (LoopWorker lane : lanes) {
      Task task = lane.task();
      if (lane.isBusy()) {
        ids.add(task == null ? "" : task.id());
      }
    }
    return ids;
  }

  /** Returns whether no agent and no merge runs, and no merge can start. */
  private boolean isQuiet() {
    if (isAnyBusy() || seat.isBusy()) {
      return false;
    }
    boolean mayLandYet = canLand() && !(seat.isWaiting() && isNearItsEnd());
    return !mayLandYet || seat.waiting(Set.of()).isEmpty();
  }

  private boolean isAnyBusy() {
    return lanes.stream().anyMatch(LoopWorker::isBusy);
  }

  private boolean isNearItsEnd() {
    return endings.areNear(session.seen().control().steering());
  }

  /** Continues when no agent works; returns whether the step is over. */
  private boolean goOnFromRest(boolean hasMoved) {
    List<LoopWorker> left = lanes.stream().filter(lane -> lane.over() == null).toList();
    if (left.isEmpty()) {
      endings.decide(Objects.requireNonNull(lanes.get(0).over(), "all agents have stopped"));
      return true;
    }
    if (hasMoved) {
      // If no other iteration can follow, end the loop right after this iteration.
      nextTurn.settle();
      return true;
    }
    Comparator<LoopWorker> bySoonest =
        Comparator.comparing((LoopWorker lane) -> lane.backoff().notBefore().left());
    nextTurn.await(left.stream().min(bySoonest).orElseThrow().backoff());
    if (!endings.isDecided() && !seat.isBusy()) {
      begin();
    }
    return false;
  }

  /** Assigns ready tasks to free workers; runs one worker without a task if none is ready. */
  private void begin() {
    LoopRole role = turns.next();
    boolean isToBuild = role.role() == Iteration.Role.BUILD;
    if (isToBuild) {
      giveOut();
    }
    if (!isAnyBusy()) {
      for (LoopWorker lane : lanes) {
        if (lane.isFree()) {
          seat.addLoose();
          lane.letAlone(isToBuild ? null : role);
          lane.advance();
          return;
        }
      }
    }
  }

  /** Returns whether tasks may be assigned while other agents work. */
  private boolean mayGiveOut() {
    ControlState steering = session.seen().control().steering();
    boolean isAlone = lanes.stream().anyMatch(lane -> lane.isBusy() && lane.task() == null);
    return !isAlone
        && !steering.paused()
        && !endings.areNear(steering)
        && nextTurn.openQuestions().isEmpty()
        && turns.next().role() == Iteration.Role.BUILD;
  }

  private void giveOut() {
    int kept = keptFree();
    for (LoopWorker lane : lanes) {
      if (!lane.isFree()) {
        continue;
      }
      if (kept-- > 0) {
        continue;
      }
      if (isNearItsEnd() || session.seen().tasks().ready().isEmpty()) {
        return;
      }
      Optional<Claim> claim =
          session
              .present()
              .tasks()
              .claimNextFor(
                  lane.owner(),
                  TaskLease.LENGTH,
                  session.nextIteration(),
                  task -> workspaces.branch(task.number()));
      if (claim.isEmpty()) {
        return;
      }
      lane.give(session.present().tasks().get(claim.get().taskId()), claim.get());
      lane.advance();
      session.look();
    }
  }

  /**
   * Returns the number of agents to keep free for tasks that the running merge holds up, at most
   * one. An agent is kept if these tasks, which run in sequence, take longer than the other agents
   * need for all ready tasks. Without the agent, they would wait for the next free agent.
   */
  private int keptFree() {
    int inARow = seat.isBusy() ? session.seen().tasks().heldUpByLanding() : 0;
    int others = lanes.size() - 1;
    return inARow > 0 && inARow * others >= session.seen().tasks().ready().size() ? 1 : 0;
  }

  private TeamContext company(int number, Workspace place) {
    Task given = lanes.get(number - 1).task();
    Task task = given == null ? null : session.present().tasks().get(given.id());
    return company(number, task, place.branch(), place.isTakenUp());
  }

  private TeamContext company(
      int number, @Nullable Task task, @Nullable String branch, boolean isTakenUp) {
    List<TeamContext.Other> others = new ArrayList<>();
    for (LoopWorker lane : lanes) {
      Task other = lane.task();
      if (other != null && lane.number() != number) {
        others.add(new TeamContext.Other(lane.number(), other));
      }
    }
    return new TeamContext(
        number,
        lanes.size(),
        task,
        task == null ? 0 : task.attempts() + 1,
        new TeamContext.Place(
            workspaces.directory(number),
            branch,
            branch == null ? null : branch.substring(0, branch.lastIndexOf('.')),
            isTakenUp,
            file -> workspaces.own(number, file)),
        task == null ? seat.looseRefused() : task.reason(),
        others);
  }

  @Override
  public TeamContext next() {
    Task task = session.seen().tasks().ready().stream().findFirst().orElse(null);
    int number = task == null ? Workspaces.NO_TASK : task.number();
    boolean isTakenUp = workspaces.hasCommits(number, task == null ? "" : task.id());
    return company(1, task, workspaces.branch(number), isTakenUp);
  }

  @Override
  public boolean isCurrentThread() {
    return lanes.stream().anyMatch(LoopWorker::isCurrentThread);
  }

  @Override
  public void cutOff() {
    if (isAnyBusy() || seat.isBusy()) {
      session.cancellation().request("the loop ends");
    }
    lanes.forEach(LoopWorker::cutOff);
    seat.cutOff();
    Throwable first = null;
    for (LoopWorker lane : lanes) {
      try {
        lane.settle();
      } catch (RuntimeException | Error e) {
        first = first == null ? e : first;
      }
    }
    seat.settle();
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException fault) {
      throw fault;
    }
  }

  @Override
  public void write() {
    lanes.forEach(LoopWorker::writeEnd);
    seat.advance(endings);
  }

  @Override
  public boolean hasLeftBehind() {
    return lanes.stream().anyMatch(LoopWorker::hasLeftBehind) || seat.hasLeftBehind();
  }

  @Override
  public void whenEnded(Runnable next) {
    AtomicInteger open = new AtomicInteger(lanes.size() + 1);
    Runnable one =
        () -> {
          if (open.decrementAndGet() == 0) {
            next.run();
          }
        };
    lanes.forEach(lane -> lane.whenEnded(one));
    seat.whenEnded(one);
  }

  @Override
  public void close() {
    workspaces.close();
  }
}
