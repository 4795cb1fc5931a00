package dev.ralph.core.internal.iteration;

import dev.ralph.Iteration;
import dev.ralph.Iteration.Status;
import dev.ralph.Usage;
import dev.ralph.domain.ProcessIdentity;
import dev.ralph.domain.Timestamp;
import dev.ralph.log.Decision;
import dev.ralph.log.Draft;
import dev.ralph.log.Meta;
import dev.ralph.log.RalphException;
import dev.ralph.log.Topic;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules for starting and ending iterations. */
final class IterationDecider {

  private final Topic topic;

  IterationDecider(Topic topic) {
    this.topic = topic;
  }

  /**
   * @param role the word of the role, or null in a loop with a single role
   * @param agent the agent's number among several, whose iterations may overlap; 0 for a single
   *     agent
   * @param task the id of the assigned task, or null if the agent chooses its task
   */
  Decision<Iterations, Iteration> start(
      Iterations iterations,
      @Nullable String role,
      int agent,
      @Nullable String task,
      ProcessIdentity process,
      Instant now) {
    List<Draft> drafts = new ArrayList<>();
    for (IterationEntry left : iterations.running()) {
      if (agent > 0 && left.agent() > 0 && left.agent() != agent) {
        continue;
      }
      drafts.add(
          Draft.of(
              topic,
              completion(left, Status.INTERRUPTED, now)
                  .with("summary", "no end was recorded before the next iteration")
                  .with("usage", left.usage().plus(Usage.UNKNOWN).json())));
    }
    int number = iterations.highestNumber() + 1;
    Meta start =
        Meta.of("action", "start")
            .with("n", number)
            .with("role", role)
            .with("agent", agent == 0 ? null : agent)
            .with("task", task)
            .with("timestamp", Timestamp.of(now));
    drafts.add(Draft.of(topic, process.in(start)));
    return Decision.append(drafts, (after, frames) -> after.get(number));
  }

  Decision<Iterations, Iteration> complete(
      Iterations iterations,
      int number,
      Status status,
      @Nullable String summary,
      Usage usage,
      Instant now) {
    if (status == Status.RUNNING) {
      throw RalphException.invalid("an iteration can't end as running");
    }
    IterationEntry iteration = iterations.get(number);
    if (iteration.status() != Status.RUNNING) {
      return Decision.nothing(iteration);
    }
    Meta meta = completion(iteration, status, now).with("summary", summary);
    if (!usage.equals(Usage.NONE)) {
      meta = meta.with("usage", usage.json());
    }
    return Decision.append(Draft.of(topic, meta), after -> after.get(number));
  }

  /**
   * Records a refused completion.
   *
   * @param task the id of the reopened task; null for the session, whose refusal is not recorded in
   *     an iteration with a task
   */
  Decision<Iterations, Iteration> returned(
      Iterations iterations, int number, @Nullable String task, String reason) {
    IterationEntry iteration = iterations.get(number);
    if (task == null && iteration.task() != null) {
      return Decision.nothing(iteration);
    }
    Meta meta =
        Meta.of("action", "returned")
            .with("n", iteration.ownNumber())
            .with("task", task)
            .with("reason", reason);
    return Decision.append(Draft.of(topic, meta), after -> after.get(number));
  }

  private static Meta completion(IterationEntry iteration, Status status, Instant now) {
    return Meta.of("action", "complete")
        .with("n", iteration.ownNumber())
        .with("status", status.word())
        .with("timestamp", Timestamp.of(now));
  }
}
