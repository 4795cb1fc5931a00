package dev.ralph.core.internal.process;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Ends the processes of a tree and all that carry its mark: asks, waits, kills, and looks again
 * until nothing is found.
 *
 * <p>The tree is known before the first signal, since a parent that dies leaves children that
 * nobody can trace. Signals go to parents first: a shell whose child dies before itself would go on
 * to its next command, and a supervisor would start the child again. What is asked may start others
 * to clean up; these are not asked themselves.
 */
final class TreeEnder {

  /** How long killing may go on; what then lives is stuck in the kernel or not ours to kill. */
  private static final Duration KILLING = Duration.ofSeconds(5);

  /**
   * One look can miss a process: for a moment in its exec, it shows no environment. And what is
   * signalled may start another in its last moment.
   */
  private static final int CLEAN_SWEEPS = 3;

  private static final Duration BETWEEN_SWEEPS = Duration.ofMillis(2);
  private static final Duration ASKED_SWEEP_EVERY = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(16);

  private final ProcessTree tree;
  private final ProcessMark mark;
  private final Supplier<Deadline> killAt;
  private boolean interrupted;

  /**
   * @param killAt when asking ends and killing begins; may come nearer while this runs
   */
  TreeEnder(ProcessTree tree, ProcessMark mark, Supplier<Deadline> killAt) {
    this.tree = tree;
    this.mark = mark;
    this.killAt = killAt;
  }

  /**
   * Runs to the end whether the thread is interrupted or not; its interrupt status is kept.
   *
   * @return the processes that were signalled and are gone
   */
  Set<ProcessHandle> run() {
    interrupted = Thread.interrupted();
    try {
      return end();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Set<ProcessHandle> end() {
    Set<ProcessHandle> asked = new HashSet<>();
    Set<ProcessHandle> signalled = new LinkedHashSet<>();
    Deadline giveUpAt = null;
    int clean = 0;
    while (clean < CLEAN_SWEEPS) {
      List<ProcessHandle> live = tree.sweep(mark);
      if (live.isEmpty()) {
        if (signalled.isEmpty() && tree.hasSweptAll()) {
          break;
        }
        if (++clean < CLEAN_SWEEPS) {
          pause(BETWEEN_SWEEPS);
        }
        continue;
      }
      clean = 0;
      signalled.addAll(live);
      if (!killAt.get().passed()) {
        ask(live, asked);
        awaitGone(live);
        continue;
      }
      if (giveUpAt == null) {
        giveUpAt = Deadline.after(KILLING);
      } else if (giveUpAt.passed()) {
        warnOf(live);
        live.forEach(signalled::remove);
        break;
      }
      live.forEach(ProcessHandle::destroyForcibly);
      List<ProcessHandle> killed = mark.killFound();
      while (!killed.isEmpty() && !giveUpAt.passed()) {
        signalled.addAll(killed);
        killed = mark.killFound();
      }
      pause(BETWEEN_SWEEPS);
    }
    return signalled;
  }

  /**
   * Asks those that were not asked yet. Left alone is what an asked process has started and still
   * waits for: its last work, such as removing a lock, which nobody else will do. It has until the
   * killing for that.
   */
  private static void ask(List<ProcessHandle> live, Set<ProcessHandle> asked) {
    Set<ProcessHandle> earlier = Set.copyOf(asked);
    live.stream()
        .filter(process -> !asked.contains(process) && !isLastWorkOf(earlier, process))
        .forEach(
            process -> {
              asked.add(process);
              process.destroy();
            });
  }

  private static boolean isLastWorkOf(Set<ProcessHandle> asked, ProcessHandle process) {
    Optional<ProcessHandle> ancestor = process.parent();
    while (ancestor.isPresent() && !asked.contains(ancestor.get())) {
      ancestor = ancestor.get().parent();
    }
    return ancestor.filter(ProcessTree::isLive).isPresent();
  }

  /** Returns when all are gone, when killing is due, or when it is time to look for new ones. */
  private void awaitGone(List<ProcessHandle> processes) {
    Deadline sweepAt = Deadline.after(ASKED_SWEEP_EVERY);
    Duration pause = Duration.ofMillis(1);
    while (processes.stream().anyMatch(ProcessTree::isLive)) {
      Deadline until = Deadline.earlier(sweepAt, killAt.get());
      if (until.passed()) {
        return;
      }
      Duration left = Duration.ofNanos(until.remainingNanos());
      pause(pause.compareTo(left) < 0 ? pause : left);
      pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : pause;
    }
  }

  private void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis(), time.toNanosPart() % 1_000_000);
    } catch (InterruptedException keptForLater) {
      interrupted = true;
    }
  }

  private static void warnOf(List<ProcessHandle> live) {
    System.getLogger(TreeEnder.class.getPackageName())
        .log(
            Level.WARNING,
            () ->
                "processes that could not be ended: "
                    + live.stream().map(ProcessHandle::pid).toList()
                    + "; look at them with: ps -o pid,user,stat,args -p PID");
  }
}
