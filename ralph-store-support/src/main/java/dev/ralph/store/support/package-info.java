/**
 * Shared parts of durable stores: private files, the lock between processes, the topic index,
 * content files named by hash, and snapshots.
 */
@NullMarked
package dev.ralph.store.support;

import org.jspecify.annotations.NullMarked;
