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
 * Ends the processes of a tree and all processes with its mark. Sends SIGTERM, waits, kills, and
 * searches again until no process is found.
 *
 * <p>The tree is known before the first signal, because the children of a dead parent cannot be
 * traced. Parents are signalled first. Otherwise a shell would continue with its next command, and
 * a supervisor would restart the child. A signalled process may start other processes to clean up;
 * these are not sent SIGTERM.
 */
final class TreeEnder {

  /**
   * The time limit of killing. Processes that survive are stuck in the kernel, or belong to another
   * user.
   */
  private static final Duration KILLING = Duration.ofSeconds(5);

  /**
   * The number of consecutive empty sweeps. A sweep misses a process without an environment during
   * an exec. And a signalled process may start another process just before its end.
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
   * @param killAt the end of the grace, when killing begins; may become earlier during the run
   */
  TreeEnder(ProcessTree tree, ProcessMark mark, Supplier<Deadline> killAt) {
    this.tree = tree;
    this.mark = mark;
    this.killAt = killAt;
  }

  /**
   * Runs to the end regardless of interrupts; the interrupt status is kept.
   *
   * @return the processes that were signalled and have ended
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
   * Sends SIGTERM to all processes not signalled yet. Skips processes that a signalled process has
   * started and still waits for, such as the removal of a lock. They have until the killing to
   * finish.
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

  /** Waits until all processes have ended, killing is due, or the next sweep is due. */
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
                "can't end processes "
                    + live.stream().map(ProcessHandle::pid).toList()
                    + "; to inspect a process: ps -o pid,user,stat,args -p PID");
  }
}
