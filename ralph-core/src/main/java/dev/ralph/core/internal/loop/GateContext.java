package dev.ralph.core.internal.loop;

import dev.ralph.Gate;
import dev.ralph.Redactor;
import dev.ralph.Session;
import dev.ralph.Verdict;
import dev.ralph.core.internal.gate.GateRun;
import dev.ralph.core.internal.process.ProcessMark;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The context of a gate of a loop. Other threads may read the output of the gate's command. */
final class GateContext implements Gate.Context {

  /** A time limit without effect, because the thread that waits for the gate has its own limit. */
  private static final Duration UNLIMITED = Duration.ofDays(36_500);

  private final Session session;
  private final int iteration;
  private final Path directory;
  private final Duration grace;
  private final ProcessMark mark;
  private final Redactor redactor;
  private volatile @Nullable GateRun newest;

  GateContext(
      Session session,
      int iteration,
      Path directory,
      Duration grace,
      ProcessMark mark,
      Redactor redactor) {
    this.session = session;
    this.iteration = iteration;
    this.directory = directory;
    this.grace = grace;
    this.mark = mark;
    this.redactor = redactor;
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public Path directory() {
    return directory;
  }

  @Override
  public int iteration() {
    return iteration;
  }

  @Override
  public Verdict run(List<String> command) throws InterruptedException {
    GateRun run = new GateRun(List.copyOf(command), directory, mark, redactor);
    newest = run;
    return run.run(UNLIMITED, grace).orElseThrow();
  }

  /** Returns the last lines of the newest command, or an empty text. */
  String lastLines() {
    GateRun run = newest;
    String lines = run == null ? "" : Objects.requireNonNull(run.lastLines());
    return lines.isEmpty() ? "" : "Its last lines:\n" + lines;
  }
}
