package dev.ralph.core.internal.loop;

import dev.ralph.Claim;
import dev.ralph.Task;
import dev.ralph.core.internal.prompt.Company;
import org.jspecify.annotations.Nullable;

/** One iteration after the other, each to its end in the thread that steps. */
final class OneAgent implements Course {

  private final Parts parts;
  private final NextTurn nextTurn;
  private final IterationStep iteration;
  private boolean isOpen;

  OneAgent(Parts parts, NextTurn nextTurn) {
    this.parts = parts;
    this.nextTurn = nextTurn;
    this.iteration = new IterationStep(parts);
  }

  @Override
  public void open() {
    parts.writeEnd();
    if (!isOpen) {
      takeBackWhatHasNotLanded();
      isOpen = true;
    }
  }

  /** Nobody lands here what several agents have left; this one can merge it. */
  private void takeBackWhatHasNotLanded() {
    for (Task task : parts.seen.tasks().list().toLand()) {
      Claim claim = task.claim();
      if (claim != null) {
        parts
            .session
            .tasks()
            .reopen(
                task.id(),
                claim.token(),
                "it is done on the branch "
                    + task.branch()
                    + ", which has not landed; merge that: git merge "
                    + task.branch());
      }
    }
  }

  @Override
  public void advance() {
    nextTurn.await(parts.backoff);
    if (!parts.endings.isDecided()) {
      iteration.run();
      // Where it is known that no other iteration follows, the loop ends right after this one.
      nextTurn.settle();
    }
  }

  @Override
  public @Nullable Company next() {
    return null;
  }

  @Override
  public boolean isCurrentThread() {
    return parts.agents.isCurrentThread();
  }

  @Override
  public void cutOff() {}

  @Override
  public void write() {
    parts.writeEnd();
  }

  @Override
  public boolean hasLeftBehind() {
    return parts.agents.hasLeftBehind();
  }

  @Override
  public void whenEnded(Runnable next) {
    parts.agents.whenEnded(next);
  }

  @Override
  public void close() {}
}
