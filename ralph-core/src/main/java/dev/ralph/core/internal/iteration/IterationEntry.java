package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.Usage;
import dev.ralph.core.internal.json.JsonProfile;
import dev.ralph.core.internal.json.SessionJson;
import dev.ralph.domain.Numbered;
import dev.ralph.log.Meta;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An iteration in the state of the fold. Its end replaces the entry.
 *
 * @param ownNumber the number in the iteration's frames; another program may have used it twice
 * @param ended the time of the end, or null while the iteration runs
 * @param lastBeside the number of the newest iteration at the end of this one, or 0 while it runs;
 *     iterations of several agents overlap
 */
record IterationEntry(
    String id,
    int number,
    long ownNumber,
    Iteration.Role role,
    int agent,
    @Nullable String task,
    Instant started,
    Iteration.Status status,
    @Nullable Instant ended,
    int lastBeside,
    @Nullable String summary,
    Usage usage,
    @Nullable String returned)
    implements Iteration, Numbered {

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
  public Meta json() {
    return SessionJson.iteration(this, status, task, JsonProfile.FULL)
        .without("usage") // also present, and last, if no usage was reported
        .with("number", number)
        .with("usage", usage.json());
  }

  @Override
  public String title() {
    return toString();
  }

  @Override
  public @Nullable Duration duration() {
    if (ended == null) {
      return null;
    }
    return ended.isBefore(started) ? Duration.ZERO : Duration.between(started, ended);
  }

  @Override
  public String toString() {
    return "iteration " + number + " (" + status.word() + ")";
  }
}
