/**
 * Shares an open store with other processes of the same user on the same machine: {@link
 * dev.ralph.store.socket.StoreSocket} serves the store on a Unix domain socket, and {@link
 * dev.ralph.store.socket.SocketStoreProvider} opens the served store.
 */
@NullMarked
package dev.ralph.store.socket;

import org.jspecify.annotations.NullMarked;
