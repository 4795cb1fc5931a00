package dev.ralph.log;

import java.util.Objects;

/**
 * What must hold for a batch to be appended: no frame that the filter selects stands after the
 * position.
 *
 * @param filter which frames would change what was decided, all of the batch's {@linkplain
 *     Topic#scope() scope}
 * @param since how far the decider had read
 */
public record Condition(TopicFilter filter, Position since) {

  /** Makes a condition. */
  public Condition {
    Objects.requireNonNull(filter, "filter");
    Objects.requireNonNull(since, "since");
  }
}
