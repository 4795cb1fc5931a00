package dev.ralph.spi;

import dev.ralph.log.TopicFilter;

/**
 * What a snapshot is of.
 *
 * @param fold the fold's name, and what tells it from others of that name
 * @param version the fold's version
 * @param filter the topics it was folded from
 */
public record SnapshotKey(String fold, int version, TopicFilter filter) {}
