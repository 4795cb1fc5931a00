package dev.ralph.agents;

import dev.ralph.Ralph;
import dev.ralph.Session;
import dev.ralph.Turn;
import dev.ralph.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.annotation.Nullable;

/** A turn outside any loop, that keeps what the agent hands over. */
final class RecordedTurn implements Turn {

  private final Session session = Ralph.inMemory().session("demo");
  private final int iteration;
  private final String prompt;
  private final Path directory;
  private final String mark;
  @Nullable private volatile Instant deadline;
  private final List<String> output = new CopyOnWriteArrayList<>();
  private final List<String> notices = new CopyOnWriteArrayList<>();
  private final List<Usage> usages = new CopyOnWriteArrayList<>();
  private volatile boolean cancelled;

  RecordedTurn(
      int iteration, String prompt, Path directory, String mark, @Nullable Duration timeLimit) {
    this.iteration = iteration;
    this.prompt = prompt;
    this.directory = directory;
    this.mark = mark;
    this.deadline = timeLimit == null ? null : Instant.now().plus(timeLimit);
  }

  void cancel() {
    cancelled = true;
  }

  /** Lets the time be up. */
  void expire() {
    deadline = Instant.now();
  }

  List<String> outputs() {
    return List.copyOf(output);
  }

  List<String> notices() {
    return List.copyOf(notices);
  }

  /** What was told while the agent ran, without repetitions. */
  List<Usage> usages() {
    return List.copyOf(usages);
  }

  @Override
  public void usage(Usage soFar) {
    if (usages.isEmpty() || !usages.get(usages.size() - 1).equals(soFar)) {
      usages.add(soFar);
    }
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public int iteration() {
    return iteration;
  }

  @Override
  public String prompt() {
    return prompt;
  }

  @Override
  public Path directory() {
    return directory;
  }

  @Override
  @Nullable
  public Instant deadline() {
    return deadline;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public String processMark() {
    return mark;
  }

  @Override
  public void output(String text) {
    output.add(text);
  }

  @Override
  public void notice(String text) {
    notices.add(text);
  }
}
