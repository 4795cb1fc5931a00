package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.domain.Numbered;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An iteration in the state of the fold. Immutable: its end replaces the entry. */
final class IterationEntry implements Iteration, Numbered {

  /** The number in the iteration's frames. Another program may have used the number twice. */
  final long ownNumber;

  final @Nullable Instant ended;

  /**
   * The number of the newest iteration at the end of this one, or 0 while it runs. Iterations of
   * several agents overlap.
   */
  final int lastBeside;

  private final String id;
  private final int number;
  private final Role role;
  private final int agent;
  private final @Nullable String task;
  private final Status status;
  private final Instant started;
  private final @Nullable String summary;
  private final Usage usage;
  private final @Nullable String returned;

  IterationEntry(
      String id,
      int number,
      long ownNumber,
      Role role,
      int agent,
      @Nullable String task,
      Instant started,
      Status status,
      @Nullable Instant ended,
      int lastBeside,
      @Nullable String summary,
      Usage usage,
      @Nullable String returned) {
    this.id = id;
    this.number = number;
    this.ownNumber = ownNumber;
    this.role = role;
    this.agent = agent;
    this.task = task;
    this.started = started;
    this.status = status;
    this.ended = ended;
    this.lastBeside = lastBeside;
    this.summary = summary;
    this.usage = usage;
    this.returned = returned;
  }

  IterationEntry used(Usage soFar) {
    return at(status, ended, lastBeside, summary, soFar, returned);
  }

  /**
   * @param lastBeside the number of the newest iteration
   */
  IterationEntry ended(
      Status status, Instant ended, int lastBeside, @Nullable String summary, Usage usage) {
    return at(status, ended, lastBeside, summary, usage, returned);
  }

  /**
   * @param reason the reason that the completed task was reopened
   */
  IterationEntry returned(@Nullable String reason) {
    return at(status, ended, lastBeside, summary, usage, reason);
  }

  private IterationEntry at(
      Status status,
      @Nullable Instant ended,
      int lastBeside,
      @Nullable String summary,
      Usage usage,
      @Nullable String returned) {
    return new IterationEntry(
        id,
        number,
        ownNumber,
        role,
        agent,
        task,
        started,
        status,
        ended,
        lastBeside,
        summary,
        usage,
        returned);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String title() {
    return toString();
  }

  @Override
  public Role role() {
    return role;
  }

  @Override
  public int agent() {
    return agent;
  }

  @Override
  public @Nullable String task() {
    return task;
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public Instant started() {
    return started;
  }

  @Override
  public @Nullable Duration duration() {
    if (ended == null) {
      return null;
    }
    return ended.isBefore(started) ? Duration.ZERO : Duration.between(started, ended);
  }

  @Override
  public @Nullable String summary() {
    return summary;
  }

  @Override
  public Usage usage() {
    return usage;
  }

  @Override
  public @Nullable String returned() {
    return returned;
  }

  @Override
  public String toString() {
    return "iteration " + number + " (" + status.word() + ")";
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof IterationEntry)) {
      return false;
    }
    IterationEntry that = (IterationEntry) other;
    return Objects.equals(id, that.id)
        && number == that.number
        && role == that.role
        && agent == that.agent
        && Objects.equals(task, that.task)
        && Objects.equals(started, that.started)
        && status == that.status
        && Objects.equals(ended, that.ended)
        && Objects.equals(summary, that.summary)
        && Objects.equals(usage, that.usage)
        && Objects.equals(returned, that.returned);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        id, number, role, agent, task, started, status, ended, summary, usage, returned);
  }
}
