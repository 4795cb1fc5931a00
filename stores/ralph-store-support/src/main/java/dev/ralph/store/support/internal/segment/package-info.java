/**
 * A log in segments, as stores on files keep it. Begin with {@link
 * dev.ralph.store.support.internal.segment.SegmentedFrameStore} and {@link
 * dev.ralph.store.support.internal.segment.SegmentedLog}; {@link
 * dev.ralph.store.support.internal.segment.ForwardCursor} reads, {@link
 * dev.ralph.store.support.internal.segment.GroupCommit} shares syncs between appends, and {@link
 * dev.ralph.store.support.internal.segment.LogWitness} detects lost data.
 */
@NullMarked
package dev.ralph.store.support.internal.segment;

import org.jspecify.annotations.NullMarked;
