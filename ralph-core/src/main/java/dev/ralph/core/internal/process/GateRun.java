package dev.ralph.core.internal.process;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One run of a gate's command, with everything that it starts, and the last lines it printed. To be
 * run once, by one thread; others may ask for the lines at any time.
 */
public final class GateRun {

  private final List<String> command;
  private final Path directory;
  private final ProcessMark mark;
  private final LastLines lines;

  /**
   * Prepares a run; nothing is started.
   *
   * @param directory the folder to work in
   * @param mark what its processes are marked with
   * @param redactor takes secrets out of what they print
   */
  public GateRun(List<String> command, Path directory, ProcessMark mark, Redactor redactor) {
    this.command = command;
    this.directory = directory;
    this.mark = mark;
    this.lines = new LastLines(redactor);
  }

  /**
   * Runs the command to its end.
   *
   * @param limit how long it may take before it is ended
   * @param grace how long its processes have to end by themselves when they are ended
   * @return whether the gate was passed; empty if its time was up
   * @throws dev.ralph.log.RalphException INVALID if the command can't be started
   * @throws InterruptedException if the thread is interrupted; nothing of the command runs on
   */
  public Optional<Verdict> run(Duration limit, Duration grace) throws InterruptedException {
    ManagedProcess process =
        ManagedProcess.start(
            ProcessSpec.command(command)
                .directory(directory)
                .mark(mark)
                .mergeStderr()
                .onStdout(lines)
                .build());
    Optional<ProcessExit> exit;
    try {
      exit = process.await(limit);
    } finally {
      process.terminate(grace);
    }
    return exit.map(ended -> Verdict.ofExit(ended.code(), lines.text()));
  }

  /** Returns the last 40 lines that the command has printed so far. */
  public String lastLines() {
    return lines.text();
  }
}
