package dev.ralph.log;

/**
 * What must hold for a batch to be appended: no frame that the filter selects stands after the
 * position.
 *
 * @param filter which frames would change what was decided
 * @param since how far the decider had read
 */
public record Condition(TopicFilter filter, Position since) {}
