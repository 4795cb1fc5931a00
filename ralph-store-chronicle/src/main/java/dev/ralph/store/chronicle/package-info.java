/**
 * Keeps the log in memory-mapped roll files of Chronicle Queue. Each batch is an excerpt with a
 * separate checksum. Begin with {@link dev.ralph.store.chronicle.ChronicleFrameStore}; {@link
 * dev.ralph.store.chronicle.BatchExcerpt} defines the format, {@link
 * dev.ralph.store.chronicle.ChronicleAppender} appends, and {@link
 * dev.ralph.store.chronicle.ExcerptReader} reads.
 */
@NullMarked
package dev.ralph.store.chronicle;

import org.jspecify.annotations.NullMarked;
