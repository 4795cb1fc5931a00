/** Serves a store on a Unix domain socket, and opens stores served so. */
@SuppressWarnings("module") // the module in the "to" clause is built later
module dev.ralph.store.socket {
  requires transitive dev.ralph.api;
  requires static org.jspecify;

  exports dev.ralph.store.socket.internal to
      dev.ralph.cli;

  provides dev.ralph.spi.FrameStoreProvider with
      dev.ralph.store.socket.internal.SocketStoreProvider;
}
