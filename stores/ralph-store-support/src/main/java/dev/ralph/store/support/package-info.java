/**
 * Shared parts of durable stores: private files, the lock between processes, the topic index,
 * content files named by hash, and snapshots. Begin with {@link dev.ralph.store.support.StoreLock}
 * and {@link dev.ralph.store.support.PrivateFiles}.
 */
@NullMarked
package dev.ralph.store.support;

import org.jspecify.annotations.NullMarked;
