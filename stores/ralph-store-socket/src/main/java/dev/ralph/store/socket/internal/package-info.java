/**
 * Shares an open store with other processes of the same user on the same machine: {@link
 * dev.ralph.store.socket.internal.StoreSocket} serves the store on a Unix domain socket, and {@link
 * dev.ralph.store.socket.internal.SocketStoreProvider} opens the served store.
 */
@NullMarked
package dev.ralph.store.socket.internal;

import org.jspecify.annotations.NullMarked;
