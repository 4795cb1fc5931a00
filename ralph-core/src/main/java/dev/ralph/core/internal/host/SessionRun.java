package dev.ralph.core.internal.host;

import dev.ralph.Claim;
import dev.ralph.Control;
import dev.ralph.Gate;
import dev.ralph.Iteration;
import dev.ralph.Loop;
import dev.ralph.LoopEvent;
import dev.ralph.LoopResult;
import dev.ralph.Session;
import dev.ralph.StatusChange;
import dev.ralph.Task;
import dev.ralph.Verdict;
import dev.ralph.core.internal.git.GitTrees;
import dev.ralph.core.internal.git.RemoteBranch.NotPushedException;
import dev.ralph.core.internal.git.SessionNames;
import dev.ralph.core.internal.host.SessionHost.Happening;
import dev.ralph.core.internal.loop.LoopBuilder;
import dev.ralph.core.internal.session.LiveSession;
import dev.ralph.core.internal.text.PlainPath;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.log.ContendedException;
import dev.ralph.log.FrameLog;
import dev.ralph.log.RalphException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A run of a session on this host, from the preparation of its folder to the end of its loop. Runs
 * on a separate thread.
 */
final class SessionRun implements Runnable {

  private static final String MERGED = "other commits were pushed to ralph/%s, and are merged now";

  private final SessionHost host;
  private final Session session;
  private final OfferedSession offered;
  private final @Nullable HostId from;
  private final Thread thread;

  /** The lock held during commits and pushes. */
  private final ReentrantLock keeping = new ReentrantLock();

  private @Nullable HostedCheckout checkout;

  /** Guards the following fields. */
  private final ReentrantLock lock = new ReentrantLock();

  private @Nullable Loop loop;
  private boolean cancelled;
  private boolean preparing = true;

  /** The reason that pushes fail, if no agent can resolve it; or null. */
  private volatile @Nullable String unpushed;

  /** Whether this host waits before the next run of the session. */
  private boolean waits;

  /**
   * @param from the host whose loop ran last and never ended, or null
   */
  SessionRun(SessionHost host, Session session, OfferedSession offered, @Nullable HostId from) {
    this.host = host;
    this.session = session;
    this.offered = offered;
    this.from = from;
    this.thread = new Thread(this, "ralph-host-" + session.name());
  }

  String name() {
    return session.name();
  }

  void start() {
    thread.start();
  }

  boolean isCurrentThread() {
    return thread == Thread.currentThread();
  }

  /** Cancels the run. The thread ends later, after cleanup. */
  void cancel() {
    lock.lock();
    try {
      cancelled = true;
      if (loop != null) {
        loop.cancel("the host ends");
      } else if (preparing) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    Error thrown = null;
    try {
      work();
    } catch (Error e) {
      thrown = e;
    } finally {
      host.ended(this, thrown, waits);
    }
  }

  private void work() {
    SessionWork work = null;
    try {
      offered.offer().requireSound();
      work = prepare();
      Loop.Builder builder = host.loop(work);
      try (Loop made = set(builder, work.folder()).build()) {
        // Another host may have completed the session while this host fetched the repository.
        if (!host.offers().endIfCompleted(session, offered) && begin(made)) {
          settle(made.run());
        }
      }
    } catch (InterruptedException cancelledMeanwhile) {
      // nothing was started
    } catch (ContendedException taken) {
      waits = true; // taken by a faster host
    } catch (RuntimeException e) {
      String why = Objects.requireNonNullElse(e.getMessage(), e.toString());
      if (isStoreUnreachable(e)) {
        waits = true;
        notice(name() + " is tried again in a few seconds, because the store failed: " + why);
      } else {
        fail(why);
      }
    } finally {
      if (work != null) {
        work.atEnd().forEach(this::close);
      }
      HostedCheckout made = checkout;
      if (made != null) {
        made.close();
      }
    }
  }

  /** Returns whether the store failed for a reason that does not concern the session. */
  private static boolean isStoreUnreachable(RuntimeException failure) {
    return failure instanceof RalphException e
        && switch (e.code()) {
          case UNAVAILABLE, INDETERMINATE, LOCKED -> true;
          default -> false;
        };
  }

  private void close(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      notice("can't close the resources of " + name() + ": " + e);
    }
  }

  private SessionWork prepare() throws InterruptedException {
    SessionOffer offer = offered.offer();
    try {
      GitTrees.ignore(host.folder().resolve(name()));
      Path parent = host.folder();
      if (offer.repository() != null) {
        FrameLog log = session instanceof LiveSession live ? live.log().store() : null;
        HostedCheckout made = HostedCheckout.open(parent, name(), offer, log);
        checkout = made;
        return new SessionWork(session, offer, made.top(), made.folder());
      }
      Path own = parent.resolve(name());
      PlainPath.require(parent, own);
      Files.createDirectories(own);
      return new SessionWork(session, offer, own, own);
    } catch (IOException e) {
      throw GitTrees.failed("can't create a folder for " + name() + " in " + host.folder(), e);
    }
  }

  private Loop.Builder set(Loop.Builder builder, Path folder) throws InterruptedException {
    builder.directory(folder).standBy(false).onEvent(this::happened);
    HostedCheckout own = checkout;
    if (own == null) {
      // A checkout around the host's folder does not belong to the session.
      return builder.variable("GIT_CEILING_DIRECTORIES", host.folder().toString());
    }
    if (!(builder instanceof LoopBuilder made)) {
      throw RalphException.invalid(
          "a host requires a loop builder of Session.loop, not " + builder.getClass());
    }
    if (made.hasSeveral()) {
      made.pushAlways(Objects.requireNonNull(offered.offer().repository()));
      return made.directory(own.openForSeveral());
    }
    own.commitBy(made.commits());
    own.notices().forEach(this::notice);
    made.beforeEnd(iteration -> keepQuietly(own, iteration));
    return made.finalGate(Gate.named("the push", context -> pushed(own, context.iteration())));
  }

  /**
   * Returns whether to run the loop. Afterwards {@link #cancel} cancels the loop instead of
   * interrupting this thread.
   */
  private boolean begin(Loop made) throws InterruptedException {
    lock.lock();
    try {
      preparing = false;
      if (cancelled || Thread.interrupted()) {
        return false;
      }
      loop = made;
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void happened(LoopEvent event) {
    try {
      if (event.type() == LoopEvent.Type.LOOP_STARTED) {
        host.offers().taken(name(), offered, from, ProcessHandle.current().pid());
        takeBackWhatWasLost();
        host.events()
            .emit(
                Happening.TAKEN,
                name(),
                from == null
                    ? "took " + name()
                    : "took "
                        + name()
                        + " over from "
                        + from
                        + "; unpushed work of that host is lost",
                null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RalphException e) {
      notice(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Reopens tasks whose completed work was lost with another host: work that was not pushed, in an
   * iteration without an end or in the merge queue.
   */
  private void takeBackWhatWasLost() throws InterruptedException {
    HostedCheckout own = checkout;
    if (from == null || own == null || !(session instanceof LiveSession live)) {
      return;
    }
    String why = from + " died before the work on this task was pushed";
    for (Task task : live.tasks().list().toMerge()) {
      Claim claim = Objects.requireNonNull(task.claim(), "a task to merge has a claim");
      String commit = own.find(SessionNames.mergedUnder(claim.token()));
      if (commit == null) {
        live.tasks().reopen(task.id(), claim.token(), why);
      } else {
        live.tasks().merged(claim, commit);
      }
    }
    Iteration last = session.iterations().last().orElse(null);
    if (last == null
        || last.status() != Iteration.Status.INTERRUPTED
            && last.status() != Iteration.Status.RUNNING
        || own.find(message(last.number())) != null) {
      return;
    }
    for (String task : live.completedSinceBegun()) {
      if (session.tasks().get(task).commit() == null) { // not merged separately
        session.tasks().status(task, StatusChange.to(Task.Status.REMAINING).because(why));
      }
    }
  }

  private String message(int iteration) {
    return "Iteration " + iteration + " of " + name();
  }

  private void keepQuietly(HostedCheckout own, int iteration) {
    try {
      if (keep(own, iteration)) {
        notice(MERGED.formatted(name()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (NotPushedException e) {
      // the end of the run reports the reason
    } catch (RalphException e) {
      notice(String.valueOf(e.getMessage()));
    }
  }

  /** Commits and pushes the work of an iteration, if any. */
  private boolean keep(HostedCheckout own, int iteration) throws InterruptedException {
    keeping.lockInterruptibly();
    try {
      own.commit(message(iteration));
      return own.push(this::requireOwn);
    } catch (NotPushedException e) {
      giveUp(String.valueOf(e.getMessage()));
      throw e;
    } finally {
      own.notices().forEach(this::notice);
      keeping.unlock();
    }
  }

  /** Cancels the loop because its work can't be pushed. */
  private void giveUp(String why) {
    unpushed = why;
    lock.lock();
    try {
      if (loop != null) {
        loop.cancel("the work can't be pushed");
      }
    } finally {
      lock.unlock();
    }
  }

  private Verdict pushed(HostedCheckout own, int iteration) throws InterruptedException {
    try {
      return keep(own, iteration)
          ? Verdict.failed(MERGED.formatted(name()) + ", so the gates run again")
          : Verdict.passed();
    } catch (RalphException e) {
      return Verdict.failed(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Checks that the session still belongs to this process. The work of a loop is not pushed after
   * the loss of the session, because another loop continues the session.
   */
  private void requireOwn() {
    ProcessIdentity own = ProcessIdentity.current();
    Control.RunningLoop running = session.control().running().orElse(null);
    if (running == null
        || !running.live()
        || running.pid() != own.pid()
        || !running.host().equals(own.host())) {
      throw RalphException.contended(
          "nothing was pushed, because this host no longer holds the session " + name());
    }
  }

  private void settle(LoopResult result) {
    switch (result.reason()) {
      case FAILURES, CANNOT_START, REPOSITORY_LOCKED -> fail(result.toString());
      case COMPLETED,
          STOPPED,
          MAX_ITERATIONS,
          TIME_LIMIT,
          NO_PROGRESS,
          BUDGET,
          GATE_FAILED,
          TASKS_BLOCKED,
          PLAN_CHANGED -> {
        host.offers().end(name(), offered, result.toString());
        host.events().emit(Happening.ENDED, name(), name() + " ended: " + result, result);
      }
      case INTERRUPTED -> {
        String why = unpushed;
        if (why != null) {
          fail(why);
          return;
        }
        host.offers().left(name(), offered);
        host.events()
            .emit(Happening.ENDED, name(), "released " + name() + " for other hosts", result);
      }
      case LOST, STORE_FAILED -> {
        waits = true;
        host.events().emit(Happening.ENDED, name(), name() + " ended: " + result, result);
      }
    }
  }

  /** Reports that the session could not be run here, also in the log if it is writable. */
  private void fail(String reason) {
    waits = true;
    host.events().emit(Happening.FAILED, name(), name() + " failed: " + reason, null);
    try {
      host.offers().failed(name(), offered, reason);
    } catch (RalphException e) {
      notice("can't record the failure of " + name() + ": " + e.getMessage());
    }
  }

  private void notice(String message) {
    host.events().notice(name(), message);
  }
}
