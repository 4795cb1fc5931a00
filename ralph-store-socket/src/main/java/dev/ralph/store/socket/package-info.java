/**
 * A log that one process has open, for others of the same user on the same machine: {@link
 * dev.ralph.store.socket.StoreSocket} serves it on a socket, {@link
 * dev.ralph.store.socket.SocketStoreProvider} opens what is served.
 */
@NullMarked
package dev.ralph.store.socket;

import org.jspecify.annotations.NullMarked;
