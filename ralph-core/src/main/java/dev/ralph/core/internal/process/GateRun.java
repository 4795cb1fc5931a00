package dev.ralph.core.internal.process;

import dev.ralph.Gate;
import dev.ralph.RalphException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * One run of a gate, with everything that it starts, and the last lines it printed. To be run once,
 * by one thread; others may ask for the reason at any time.
 */
public final class GateRun {

  /** What a gate is said to be that had to be ended: {@value}. */
  public static final String TIME_UP = "ended, as the time allowed is up";

  private final Gate gate;
  private final Path directory;
  private final ProcessMark mark;
  private final LastLines lines = new LastLines();

  /**
   * Prepares a run; nothing is started.
   *
   * @param directory the folder to work in
   * @param mark what its processes are marked with
   */
  public GateRun(Gate gate, Path directory, ProcessMark mark) {
    this.gate = gate;
    this.directory = directory;
    this.mark = mark;
  }

  /**
   * Runs the gate to its end.
   *
   * @param limit how long it may take before it is ended
   * @param grace how long its processes have to end by themselves when they are ended
   * @return what went wrong, in a few words that {@link #reason} makes a sentence of; empty if the
   *     gate passed
   * @throws InterruptedException if the thread is interrupted; nothing of the gate runs on
   */
  public String run(Duration limit, Duration grace) throws InterruptedException {
    ManagedProcess process;
    try {
      process =
          ManagedProcess.start(
              ProcessSpec.command(gate.command())
                  .directory(directory)
                  .mark(mark)
                  .mergeStderr()
                  .onStdout(lines)
                  .build());
    } catch (RalphException cannotStart) {
      lines.accept(String.valueOf(cannotStart.getMessage()));
      return "could not be run";
    }
    try {
      Optional<ProcessExit> exit = process.await(limit);
      return exit.isEmpty()
          ? TIME_UP
          : exit.get().isSuccess() ? "" : "failed with exit code " + exit.get().code();
    } finally {
      process.terminate(grace);
    }
  }

  /**
   * Returns why the gate did not pass, for whoever has to mend it: the command, what went wrong,
   * and the last 40 lines it printed.
   *
   * @param wrong what went wrong, in the words of {@link #run} or of one's own
   */
  public String reason(String wrong) {
    String said = lines.text();
    return "gate "
        + wrong
        + ": "
        + gate
        + (said.isEmpty() ? "\nIt printed nothing." : "\nIts last lines:\n" + said);
  }
}
