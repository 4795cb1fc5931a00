package dev.ralph.core.internal.gate;

import dev.ralph.Redactor;
import dev.ralph.Verdict;
import dev.ralph.core.internal.process.LastLines;
import dev.ralph.core.internal.process.ManagedProcess;
import dev.ralph.core.internal.process.ProcessExit;
import dev.ralph.core.internal.process.ProcessMark;
import dev.ralph.core.internal.process.ProcessSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A run of a gate's command with all descendant processes, and the last lines of the output. Call
 * {@link #run} once. Other threads may read the lines at any time.
 */
public final class GateRun {

  private final List<String> command;
  private final Path directory;
  private final ProcessMark mark;
  private final LastLines lines;

  /**
   * Prepares a run without starting a process.
   *
   * @param directory the working directory
   * @param mark the mark of the processes
   * @param redactor removes secrets from the output
   */
  public GateRun(List<String> command, Path directory, ProcessMark mark, Redactor redactor) {
    this.command = command;
    this.directory = directory;
    this.mark = mark;
    this.lines = new LastLines(redactor);
  }

  /**
   * Runs the command until it ends.
   *
   * @param limit the time limit of the command
   * @param grace the time that the processes have to exit when they are terminated
   * @return the verdict; empty if the time limit was reached
   * @throws dev.ralph.log.RalphException INVALID if the command can't be started
   * @throws InterruptedException if the thread is interrupted; all processes of the command have
   *     ended
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

  /** Returns the last 40 lines of the output so far. */
  public String lastLines() {
    return lines.text();
  }
}
