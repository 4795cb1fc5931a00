/**
 * What every durable store needs once: private files, the lock between processes, the index of
 * topics, large content by its hash, snapshots.
 */
@NullMarked
package dev.ralph.store.support;

import org.jspecify.annotations.NullMarked;
